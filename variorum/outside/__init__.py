"""What goes out: whether the site runs and is ready, numbers, the log; and by which server e-mail is sent."""
