-- What a channel (mail or webhook) has to send to an address, in one message at a time.
CREATE TABLE notice_boxes (
    channel  TEXT COLLATE "C" NOT NULL,
    address  TEXT COLLATE "C" NOT NULL, -- email address of the person
    account  TEXT COLLATE "C" NOT NULL, -- of the user
    user_id  TEXT COLLATE "C" NOT NULL,
    due      BIGINT, -- when to send a message, or while it is sent, when to repeat that; NULL: no notices
    holder   TEXT COLLATE "C" NOT NULL, -- of the attempt in progress; '' for none
    message  TEXT COLLATE "C" NOT NULL, -- id of the message to send or repeat; '' for none
    begun    BIGINT, -- when the first attempt at that message began
    attempts BIGINT NOT NULL, -- at that message
    settled  BIGINT, -- when the last message was sent or given up
    sent     TEXT COLLATE "C" NOT NULL, -- when the last messages were sent, oldest first
    PRIMARY KEY (channel, address)
);
CREATE INDEX notice_boxes_due ON notice_boxes (channel, due) WHERE due IS NOT NULL;
CREATE INDEX notice_boxes_user ON notice_boxes (user_id);

-- Changes of credentials that weren't sent yet.
CREATE TABLE notices (
    number  BIGINT NOT NULL PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    channel TEXT COLLATE "C" NOT NULL,
    address TEXT COLLATE "C" NOT NULL,
    message TEXT COLLATE "C" NOT NULL, -- id of the message that has the notice; '' before the first attempt
    event   TEXT NOT NULL, -- JSON
    FOREIGN KEY (channel, address) REFERENCES notice_boxes (channel, address) ON DELETE CASCADE
);
CREATE INDEX notices_box ON notices (channel, address, message);
CREATE INDEX notices_message ON notices (message, number);

-- For the page on which users see changes of credentials. Accounts may have millions of other entries.
CREATE INDEX audit_events_credentials ON audit_events (account, at) WHERE action LIKE 'user.%' OR action LIKE 'key.%';
