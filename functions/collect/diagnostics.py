"""What can be said of a channel: one closed list of codes, for people on call and for deciding whether to try again."""

from typing import Literal, get_args

from shared.http import FailureCode

# Of a vendor or of a site, beside what any request can meet.
ChannelCode = Literal[
    "auth",  # the vendor refuses the key, or the service is not switched on for it
    "quota_day",  # the vendor's quota of the day (or month) is used up
    "bad_request",  # the vendor refuses the question: a defect of ours or a changed interface
    "bad_answer",  # an answer that is not what the vendor documents, or half of one
    "not_this_place",  # there were answers, all of them of other businesses or branches
    "business_closed",  # the source says that the business is closed for good
    "business_suspended",  # the source says that the business rests for a time
    "no_key",  # skipped: no key is set
    "no_website",  # skipped: no website is confirmed
    "not_an_own_website",  # skipped: the website is a page on somebody else's service
    "no_business_number",  # skipped: none is confirmed
    "no_address",  # skipped: too little is known to ask for this place and no other
    "another_site",  # the website's address leads to another site
    "out_of_time",  # the channel's time was over before its work was
    "charset_uncertain",  # text was read in a guessed encoding, or with signs that could not be read
    "bad_markup",  # a block of structured data that cannot be read; the rest was
    "several_businesses",  # a site that marks up several businesses, none of them surely the place
    "business_not_recognised",  # a site whose only marked-up business does not say that it is the place
    "too_deep",  # a page nested deeper than any reader needs; read to the limit
    "unread_photos",  # photos whose terms do not allow what a page does with them
    "internal",  # the channel itself broke: a defect of ours; the other channels went on
]

DiagnosticCode = FailureCode | ChannelCode
DIAGNOSTIC_CODES: frozenset[str] = frozenset([*get_args(FailureCode), *get_args(ChannelCode)])
