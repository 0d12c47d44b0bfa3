"""What both HTTP functions share: errors, authentication, the resolver, the Lambda entry, the shapes of answers."""
