"""Treatment of data that is elsewhere: recodes and dropped columns as SQL, streamed into a file."""
