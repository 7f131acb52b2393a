"""What a job needs around the flow: arguments, reading, the output folder, checks, reports."""
