-- Two posts of one owner's place wait for each other here; foreign keys' KEY SHARE locks do not.
SELECT user_id FROM users WHERE user_id = $1 FOR NO KEY UPDATE
