"""`singleout predict` and `singleout funnel`: before data is collected."""
