"""KorService2 of TourAPI: a search by name, and the three parts of an entry."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.fakes.http_server import Recorded, Reply
from tests.fakes.vendors import Scenario, says
from tests.fakes.vendors.gateway import REFUSALS, quoting_the_key

Item = dict[str, Any]

FOUND: Item = {
    "addr1": "서울특별시 성동구 달그릇길 12",
    "addr2": "(성수동2가)",
    "areacode": "1",
    "cat3": "A05020100",
    "contentid": "2783366",
    "contenttypeid": "39",
    "cpyrhtDivCd": "Type3",
    "firstimage": "http://tong.visitkorea.or.kr/cms/resource/96/2783596_image2_1.jpg",
    "lDongRegnCd": "11",
    "mapx": "127.0557320000",
    "mapy": "37.5445210000",
    "tel": "",
    "title": "달그릇국수",
}
BRANCH: Item = FOUND | {
    "addr1": "부산광역시 해운대구 바다길 3",
    "addr2": "",
    "contentid": "2783367",
    "mapx": "129.16",
    "mapy": "35.16",
    "title": "달그릇국수 해운대점",
}
COMMON: Item = FOUND | {
    "homepage": '<a href="https://dal.example/?a=1&amp;b=2" target="_blank" title="새창">https://dal.example</a><br>'
    '<a href="https://www.instagram.com/dalgeureut" target="_blank">인스타그램</a>',
    "overview": "제철 채소로 국물을 낸다.<br>면은 날마다 뽑는다 &amp; 남기지 않는다.",
    "telname": "",
}
FOOD: Item = {
    "contentid": "2783366",
    "contenttypeid": "39",
    "firstmenu": "들깨국수",
    "treatmenu": "비빔국수 9,000원 / 만두(고기, 김치) / 식혜 등",
    "infocenterfood": "02-555-0100, 02-555-0142<br>",
    "opentimefood": "11:30~19:00",
    "restdatefood": "매주 화요일",
    "parkingfood": "가능<br>(3대)",
    "packing": "가능",
    "reservationfood": "불가능",
    "chkcreditcardfood": "",
    "kidsfacility": "0",
    "lcnsno": "20200488014",
}
# What the introduction of the other types holds.
INTROS: dict[str, Item] = {
    "12": {
        "usetime": "09:00~18:00",
        "restdate": "연중무휴",
        "infocenter": "02-555-0142",
        "parking": "있음",
        "chkpet": "불가",
    },
    "14": {
        "usetimeculture": "10:00~17:00",
        "restdateculture": "매주 월요일",
        "infocenterculture": "02-555-0142",
        "parkingculture": "없음",
        "chkcreditcardculture": "가능",
    },
    "28": {
        "usetimeleports": "08:00~20:00",
        "restdateleports": "",
        "infocenterleports": "02-555-0142",
        "parkingleports": "주차 가능",
        "reservation": "전화 예약 가능",
    },
    "32": {
        "checkintime": "15:00",
        "checkouttime": "11:00",
        "infocenterlodging": "02-555-0142",
        "parkinglodging": "10대",
    },
    "38": {
        "opentime": "10:00~21:00",
        "restdateshopping": "설날·추석 당일",
        "infocentershopping": "02-555-0142",
        "restroom": "있음",
        "parkingshopping": "",
    },
}
IMAGES: list[Item] = [
    {"originimgurl": "http://tong.visitkorea.or.kr/cms/resource/96/1.jpg", "cpyrhtDivCd": "Type1", "serialnum": "1"},
    {"originimgurl": "http://tong.visitkorea.or.kr/cms/resource/96/2.jpg", "cpyrhtDivCd": "Type3", "serialnum": "2"},
    {"originimgurl": "http://tong.visitkorea.or.kr/cms/resource/96/3.jpg", "cpyrhtDivCd": "", "serialnum": "3"},
    {"originimgurl": "http://tong.visitkorea.or.kr/cms/resource/96/4.jpg", "cpyrhtDivCd": "Type1", "serialnum": "4"},
]  # fmt: skip


def listed(items: Any, total: Any = None, code: str = "0000") -> Reply:
    """A good answer with so many items; none at all is the empty text."""
    count = total if total is not None else (len(items) if isinstance(items, list) else 1)
    body = {"items": {"item": items} if items else "", "numOfRows": 100, "pageNo": 1, "totalCount": count}
    return Reply.of({"response": {"header": {"resultCode": code, "resultMsg": "OK"}, "body": body}})


def answering(
    *,
    found: Any = (FOUND, BRANCH),
    common: Any = (COMMON,),
    intro: Any = (FOOD,),
    images: Any = tuple(IMAGES),
    total: Any = None,
) -> Scenario:
    """A service with so much in it; a mapping is an item that comes without a list around it."""
    held = {"searchKeyword2": found, "detailCommon2": common, "detailIntro2": intro, "detailImage2": images}

    def behave(request: Recorded) -> Reply:
        parts = urlsplit(request.path)
        call, query = parts.path.rpartition("/")[2], parse_qs(parts.query)
        always = {"serviceKey", "MobileOS", "MobileApp", "_type"}
        allowed = always | {
            "searchKeyword2": {"keyword", "numOfRows"},
            "detailCommon2": {"contentId"},
            "detailIntro2": {"contentId", "contentTypeId"},
            "detailImage2": {"contentId", "imageYN", "numOfRows"},
        }.get(call, set())
        if call not in held:
            return REFUSALS["xml_12"](request)
        if not always <= query.keys() <= allowed:  # this version refuses what older ones took
            return REFUSALS["json_flat"](request)
        items = held[call]
        return listed(
            dict(items) if isinstance(items, Mapping) else list(items),
            total if call == "searchKeyword2" else None,
        )

    return behave


def _of_type(kind: str) -> Scenario:
    entry = FOUND | {"contenttypeid": kind}
    return answering(found=[entry], common=[COMMON | {"homepage": ""}], intro=[INTROS.get(kind, {})])


_LONG = "가" * 598 + "나다. "
_WRONG = dict.fromkeys(COMMON, None) | {
    "title": ["달그릇국수"],
    "addr1": FOUND["addr1"],
    "addr2": 7,
    "tel": {"number": "02-555-0142"},
    "mapx": True,
    "mapy": "north",
    "contentid": 2783366,
    "contenttypeid": 39,
    "homepage": 3,
    "overview": ["text"],
    "firstimage": "x",
}

SCENARIOS: dict[str, Scenario] = REFUSALS | {
    "ok": answering(),
    "alone": answering(found=FOUND, common=COMMON, intro=FOOD, images=IMAGES[0], total="1"),
    "empty": answering(found=()),
    "no_data": says({"response": {"header": {"resultCode": "03", "resultMsg": "NODATA_ERROR"}}}),
    "namesakes": answering(found=(BRANCH, BRANCH | {"title": "달그릇국수 서면점", "contentid": "3"})),
    "crowd": answering(found=(BRANCH,), total="250"),
    "festival": answering(found=(FOUND | {"contenttypeid": "15"}, FOUND | {"contenttypeid": "25"})),
    **{f"type_{kind}": _of_type(kind) for kind in INTROS},
    "blank": answering(
        found=[FOUND | {"addr2": "", "mapx": "", "mapy": "", "firstimage": ""}],
        common=[dict.fromkeys(COMMON, "")],
        intro=[dict.fromkeys(FOOD, "")],
    ),
    "gone_since": answering(common=(), intro=(), images=()),
    "wrong_types": answering(
        found=[_WRONG],
        common=[_WRONG],
        intro=[dict.fromkeys(FOOD, 5)],
        images=[
            {"originimgurl": 4, "cpyrhtDivCd": "Type1"},
            {"originimgurl": "no address", "cpyrhtDivCd": 1},
        ],
    ),
    "untouchable": answering(images=IMAGES[1:3]),
    "wordy": answering(common=[COMMON | {"homepage": "www.dal.example/info", "overview": _LONG * 3}]),
    "endless": answering(common=[COMMON | {"homepage": "javascript:x", "overview": "가" * 1500}]),
    "no_header": says({"response": {"body": {"items": "", "totalCount": 0}}}),
    "no_body": says({"response": {"header": {"resultCode": "0000", "resultMsg": "OK"}}}),
    "no_items": says({"response": {"header": {"resultCode": "0000"}, "body": {"totalCount": 1}}}),
    "items_text": says({"response": {"header": {"resultCode": "0000"}, "body": {"items": {"item": "x"}}}}),
    "items_texts": says({"response": {"header": {"resultCode": "0000"}, "body": {"items": {"item": ["x"]}}}}),
    "quoting": quoting_the_key("a+b/c=="),
    "good_xml": lambda request: Reply(
        body=b"<response><header><resultCode>0000</resultCode></header><body><items/></body></response>",
        content_type="application/xml",
    ),
}
