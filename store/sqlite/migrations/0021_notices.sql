-- What a channel (mail or webhook) has to send to an address, in one message at a time.
CREATE TABLE notice_boxes (
    channel  TEXT    NOT NULL,
    address  TEXT    NOT NULL, -- email address of the person
    account  TEXT    NOT NULL, -- of the user
    user_id  TEXT    NOT NULL,
    due      INTEGER,          -- when to send a message, or while it is sent, when to repeat that; NULL: no notices
    holder   TEXT    NOT NULL, -- of the attempt in progress; '' for none
    message  TEXT    NOT NULL, -- id of the message to send or repeat; '' for none
    begun    INTEGER,          -- when the first attempt at that message began
    attempts INTEGER NOT NULL, -- at that message
    settled  INTEGER,          -- when the last message was sent or given up
    sent     TEXT    NOT NULL, -- when the last messages were sent, oldest first
    PRIMARY KEY (channel, address)
) STRICT, WITHOUT ROWID;
CREATE INDEX notice_boxes_due ON notice_boxes (channel, due) WHERE due IS NOT NULL;
CREATE INDEX notice_boxes_user ON notice_boxes (user_id);

-- Changes of credentials that weren't sent yet.
CREATE TABLE notices (
    number  INTEGER NOT NULL PRIMARY KEY,
    channel TEXT    NOT NULL,
    address TEXT    NOT NULL,
    message TEXT    NOT NULL, -- id of the message that has the notice; '' before the first attempt
    event   TEXT    NOT NULL, -- JSON
    FOREIGN KEY (channel, address) REFERENCES notice_boxes (channel, address) ON DELETE CASCADE
) STRICT;
CREATE INDEX notices_box ON notices (channel, address, message);
CREATE INDEX notices_message ON notices (message, number);

-- For the page on which users see changes of credentials. Accounts may have millions of other entries.
CREATE INDEX audit_events_credentials ON audit_events (account, at) WHERE action LIKE 'user.%' OR action LIKE 'key.%';
