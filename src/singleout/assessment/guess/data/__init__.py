"""What columns and values are called: lists of words, to be edited without programming."""
