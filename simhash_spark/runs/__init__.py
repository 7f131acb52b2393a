"""What a job does around the library: arguments, input, output, messages, checks."""
