"""What the pages Predict and For a person compute: before anything is collected."""
