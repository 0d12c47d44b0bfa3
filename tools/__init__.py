"""What the makers of web4ai run now and then; ships nowhere."""
