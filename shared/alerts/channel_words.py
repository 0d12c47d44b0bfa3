"""What an alert says about a channel: its name, and for each code what that means and what to do."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ChannelWords:
    """The words of one language. `meaning` and `advice` are by diagnostic code; a code without words is told as it is."""

    channel: str  # label
    places: str  # label
    share: str
    reopens: str  # label
    names: dict[str, str]
    meaning: dict[str, str]
    advice: dict[str, str]


KOREAN = ChannelWords(
    channel="채널",
    places="가게",
    share="{failed}곳 실패 ({asked}곳 중)",
    reopens="재개",
    names={
        "website": "가게 홈페이지",
        "kakao": "카카오",
        "naver": "네이버",
        "tourapi": "관광공사",
        "nts": "국세청",
        "osm": "OpenStreetMap",
        "google_places": "구글 지도",
        "perplexity": "Perplexity",
    },
    meaning={
        "auth": "제공자가 키를 거절합니다.",
        "quota_day": "제공자의 하루 한도를 다 썼습니다.",
        "rate_limited": "제공자가 요청이 너무 잦다고 합니다.",
        "timeout": "제공자가 제때 답하지 않습니다.",
        "out_of_time": "정해진 시간 안에 끝나지 않습니다.",
        "connection": "제공자에 연결되지 않습니다.",
        "dns": "제공자의 주소를 찾을 수 없습니다.",
        "tls": "제공자의 인증서를 믿을 수 없습니다.",
        "http_status": "제공자가 오류로 답합니다.",
        "bad_request": "제공자가 질문을 거절합니다.",
        "bad_answer": "제공자의 답이 문서와 다릅니다.",
        "protocol": "제공자의 답이 중간에 끊깁니다.",
        "internal": "이 채널의 코드에 결함이 있습니다.",
    },
    advice={
        "auth": "제공자의 콘솔에서 키가 유효한지, 서비스가 켜져 있는지 확인하고 설정의 키를 바꾸세요.",
        "quota_day": "한도가 돌아올 때까지 이 채널은 쉽니다. 자주 생기면 제공자에게 한도를 늘려 달라고 하세요.",
        "rate_limited": "잠시 뒤 저절로 풀립니다. 계속되면 같은 키를 다른 곳에서 쓰는지 확인하세요.",
        "dns": "설정된 제공자 주소와, 함수가 인터넷에 나갈 수 있는지 확인하세요.",
        "tls": "설정된 제공자 주소와 인증서를 확인하세요.",
        "bad_request": "제공자의 인터페이스가 바뀌었는지 문서를 확인하고 채널을 고치세요.",
        "bad_answer": "제공자의 인터페이스가 바뀌었는지 문서를 확인하고 채널을 고치세요.",
        "internal": "로그에서 “a channel broke”를 찾아 채널을 고치세요. 다른 채널은 그대로 돕니다.",
    },
)

ENGLISH = ChannelWords(
    channel="Channel",
    places="Places",
    share="{failed} failed of {asked} asked",
    reopens="Reopens",
    names={
        "website": "Places' own websites",
        "kakao": "Kakao",
        "naver": "Naver",
        "tourapi": "TourAPI",
        "nts": "The tax service",
        "osm": "OpenStreetMap",
        "google_places": "Google Places",
        "perplexity": "Perplexity",
    },
    meaning={
        "auth": "The vendor refuses the key.",
        "quota_day": "The vendor's quota of the day is used up.",
        "rate_limited": "The vendor says that we ask too often.",
        "timeout": "The vendor does not answer in time.",
        "out_of_time": "It is not done within its time.",
        "connection": "The vendor cannot be reached.",
        "dns": "The vendor's name cannot be resolved.",
        "tls": "The vendor's certificate cannot be trusted.",
        "http_status": "The vendor answers with an error.",
        "bad_request": "The vendor refuses the question.",
        "bad_answer": "The vendor's answer is not what it documents.",
        "protocol": "The vendor's answer is cut off.",
        "internal": "The channel's own code is broken.",
    },
    advice={
        "auth": "See in the vendor's console whether the key is valid and the service is on; then set the right key.",
        "quota_day": "The channel rests until the quota resets. If it happens often, ask the vendor for more.",
        "rate_limited": "It passes by itself. If it lasts, see who else uses the same key.",
        "dns": "Check the vendor's address in the settings, and that functions can reach the internet.",
        "tls": "Check the vendor's address in the settings and its certificate.",
        "bad_request": "Read in the vendor's documents whether its interface changed, and mend the channel.",
        "bad_answer": "Read in the vendor's documents whether its interface changed, and mend the channel.",
        "internal": "Find “a channel broke” in the logs and mend the channel. The others go on.",
    },
)
