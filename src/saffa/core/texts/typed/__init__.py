"""What people type or paste into plain text: chats, mails, tables, counted lines."""
