"""What each page must give: its facts, its photo candidates, its notes."""

from typing import NamedTuple


class Expected(NamedTuple):
    """What a page gives, in order; how a fact is written is told in the test."""

    facts: list[str]
    photos: list[str]
    notes: list[str]


EXPECTED: dict[str, Expected] = {
    "always_open": Expected(
        facts=[
            "phone: +82517012345",
            "road_address: 부산광역시 해운대구 센텀남대로 35 (우동)",
            "hours: mon-sun 00:00-24:00; holidays open",
        ],
        photos=[],
        notes=[],
    ),
    "another_language_markup": Expected(
        facts=[
            "name: 온기식당",
            "*name_en: Ongi Kitchen",
            "category: Restaurant",
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152, 1층",
        ],
        photos=[],
        notes=[],
    ),
    "branch_list_page": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "branch_of_another_town": Expected(
        facts=[
            "name: 온기식당 판교점",
            "category: Restaurant",
            "*phone: +82317012345",
            "*hours: mon-sun 11:00-21:00",
            "*website: https://ongi.example/",
        ],
        photos=[],
        notes=[],
    ),
    "branches_same_name": Expected(
        facts=[],
        photos=[],
        notes=["several_businesses"],
    ),
    "builder_footer_notices": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "cafe24_bakery": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152 1층",
            "menu: 소금빵 3500, 깜빠뉴 7000, 무화과 호밀빵 8500",
            "business_number: 1234567891",
        ],
        photos=[
            "web/upload/og_front.jpg",
            "web/product/medium/202401/salt.jpg",
            "web/product/medium/202401/campagne.jpg",
        ],
        notes=[],
    ),
    "cafe_two_columns": Expected(
        facts=[
            "menu: 아메리카노 (HOT) 4500, 아메리카노 (ICE) 5000, 카페라떼 (HOT) 5000, 카페라떼 (ICE) 5500, 콜드브루 5500",
        ],
        photos=[],
        notes=[],
    ),
    "clinic": Expected(
        facts=[
            "phone: +8215881234",
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152 온기빌딩 5층",
            'hours: "월·화·목·금 AM 09:00 ~ PM 06:30\n수요일 AM 09:00 ~ PM 01:00\n토요일 AM '
            '09:00 ~ PM 02:00 (점심 없음)\n점심시간 PM 01:00 ~ PM 02:00\n일요일, 공휴일 휴진"',
        ],
        photos=[],
        notes=[],
    ),
    "contradicting_blocks": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 10:00-20:00",
            "hours: mon-sun 11:00-21:00",
        ],
        photos=[],
        notes=[],
    ),
    "cp949_by_its_header": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=[],
    ),
    "cp949_said_to_be_utf8": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=["charset_uncertain"],
    ),
    "cp949_under_a_servers_default": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=[],
    ),
    "cp949_under_the_name_of_euc_kr": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=[],
    ),
    "cp949_with_broken_bytes": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=["charset_uncertain"],
    ),
    "cp949_without_a_label": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=["charset_uncertain"],
    ),
    "empty_page": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "english_menu_table": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 2F, 152, Teheran-ro, Gangnam-gu, Seoul",
            "hours: mon closed; tue-sun 11:30-21:00",
            "menu: Bibimbap 12000 [Rice, vegetables, egg], Bulgogi 18000 "
            "[Marinated beef], Makgeolli 8000 [750ml]",
        ],
        photos=[],
        notes=[],
    ),
    "english_page": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 152 Teheran-ro, Gangnam-gu, Seoul",
            "hours: mon-fri 11:00-21:00; sat 12:00-20:00; sun closed",
            "menu: Beef soup with rice 12000, Cold noodles 11000, Dumplings (5 pcs) 7000",
        ],
        photos=[],
        notes=[],
    ),
    "foreign_prices": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*menu: 국밥 9000, 자연산 회 ?",
        ],
        photos=[],
        notes=[],
    ),
    "frameset_noframes": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "geo_swapped_and_foreign": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
        ],
        photos=[],
        notes=[],
    ),
    "grill_house": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152 (역삼동, 강남빌딩) 1층",
            'hours: "11:30 ~ 22:00 (Last Order 21:00)\n브레이크타임 : 15:00 ~ 17:00 (주말 제외)\n휴무 : 설, 추석 당일"',
            "menu: 한우 등심 (150g) 48000, 한우 차돌박이 (150g) 39000, 삼겹살 1인분 (180g) 18000, "
            "된장찌개 8000, 물냉면 / 비빔냉면 9000, 공기밥 1000",
            "business_number: 1234567891",
        ],
        photos=[],
        notes=[],
    ),
    "hair_salon": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152, 3F",
            "hours: mon,wed-sun 10:00-20:00; tue closed",
            "menu: 여성 컷 30000, 남성 컷 22000, 디지털 펌 120000 [부터], 뿌리 염색 60000 [부터], 드라이 25000",
        ],
        photos=[],
        notes=[],
    ),
    "hidden_elements": Expected(
        facts=[
            "phone: +82260123456",
            "menu: 국밥 9000, 냉면 11000, 만두 6000",
        ],
        photos=[],
        notes=[],
    ),
    "hours_in_a_table": Expected(
        facts=[
            "hours: mon-fri 09:00-18:30; sat 09:00-13:00; sun closed; mon-fri "
            "break 13:00-14:00; holidays closed",
        ],
        photos=[],
        notes=[],
    ),
    "hours_of_something_else": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "hours_only_in_images": Expected(
        facts=[],
        photos=["img/hours_2024.jpg", "img/menu1.jpg"],
        notes=[],
    ),
    "hours_unclear": Expected(
        facts=[
            'hours: "11시부터 재료 소진 시까지 (부정기 휴무, 인스타그램 공지)"',
        ],
        photos=[],
        notes=[],
    ),
    "hours_with_breaks": Expected(
        facts=[
            "hours: mon closed; tue-sun 11:30-21:30; tue-sun break 15:00-17:00; tue-sun last order 20:50",
        ],
        photos=[],
        notes=[],
    ),
    "hours_without_a_label": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152 2층",
            "hours: mon-sun 11:00-21:00",
        ],
        photos=[],
        notes=[],
    ),
    "imweb_cafe": Expected(
        facts=[
            "summary: 역삼동 온기식당입니다.",
            "phone: +8250712345678",
            "road_address: 서울특별시 강남구 테헤란로 152 (역삼동)",
            "hours: mon-fri 08:00-20:00; sat-sun 10:00-18:00",
            "menu: 아메리카노 4500, 카페라떼 5000, 바닐라라떼 5500, 오늘의 케이크 7000",
            "sns: https://pf.kakao.com/_ongi, https://www.instagram.com/ongi_cafe/",
            "business_number: 1234567891",
        ],
        photos=[
            "https://cdn.example/thumbnail/20240110/a1b2.jpg",
            "https://cdn.example/upload/S2024/hero.jpg",
            "https://cdn.example/upload/S2024/latte.png",
        ],
        notes=[],
    ),
    "jsonld_array_of_blocks": Expected(
        facts=[
            "name: 온기식당",
            "category: CafeOrCoffeeShop",
            "*phone: +8250712345678",
            "*hours: mon-fri 08:00-20:00; sat-sun 10:00-18:00",
        ],
        photos=[],
        notes=[],
    ),
    "jsonld_broken_beside_good": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
        ],
        photos=[],
        notes=["bad_markup"],
    ),
    "jsonld_cdata_and_comment": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
            "*price_range: ₩₩",
        ],
        photos=[],
        notes=[],
    ),
    "jsonld_escaped_quotes": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
        ],
        photos=[],
        notes=[],
    ),
    "jsonld_graph": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152",
            "*sns: https://www.facebook.com/ongi, https://www.instagram.com/ongi",
        ],
        photos=["uploads/hall.jpg"],
        notes=[],
    ),
    "jsonld_in_cp949": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
        ],
        photos=[],
        notes=[],
    ),
    "jsonld_nested_too_deep": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
        ],
        photos=[],
        notes=["bad_markup"],
    ),
    "jsonld_newlines_and_nan": Expected(
        facts=[
            "name: 온기 식당",
            "category: Restaurant",
            "*phone: +82260123456",
            "summary: 첫 줄\n둘째 줄",
        ],
        photos=[],
        notes=[],
    ),
    "jsonld_of_three_hundred_branches": Expected(
        facts=[],
        photos=[],
        notes=["several_businesses"],
    ),
    "jsonld_two_objects": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
        ],
        photos=[],
        notes=[],
    ),
    "jsonld_with_a_byte_order_mark": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
        ],
        photos=[],
        notes=[],
    ),
    "layout_tables": Expected(
        facts=[
            "phone: +82260123456",
            "lot_address: 서울특별시 강남구 역삼동 737",
            "hours: mon-sun 11:00-21:00; sun [2, 4] closed",
            "menu: 한우국밥 10000, 육회비빔밥 13000, 수육(소) 35000, 수육(대) 50000",
        ],
        photos=["images/inside01.jpg", "images/inside02.jpg"],
        notes=[],
    ),
    "mall_with_tenants": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
        ],
        photos=[],
        notes=[],
    ),
    "menu_cards_with_words": Expected(
        facts=[
            "menu: 가지튀김 덮밥 13000 [바삭한 가지와 간장], 명란 크림우동 15000 [명란과 생크림], 연어 사케동 16000 [생연어]",
        ],
        photos=[],
        notes=[],
    ),
    "menu_definition_list": Expected(
        facts=[
            "menu: 한우국밥 11000, 선지국밥 10000, 모둠수육 45000, 계절 회 ?",
        ],
        photos=[],
        notes=[],
    ),
    "menu_in_one_paragraph": Expected(
        facts=[
            "menu: 국밥 9000, 수육 35000, 순대 12000, 막국수 8000, 김치전 10000, 해물파전 15000",
        ],
        photos=[],
        notes=[],
    ),
    "menu_sizes_and_notes": Expected(
        facts=[
            "menu: 갈비찜 (소) 30000, 갈비찜 (중) 45000, 갈비찜 (대) 60000, 공기밥 1000, 한우구이 "
            "48000 [150g], 아메리카노 (HOT) 4000, 아메리카노 (ICE) 4500, 소주 5000, 맥주 5000",
        ],
        photos=[],
        notes=[],
    ),
    "microdata_restaurant": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152",
            "*geo: 37.5006, 127.0364",
            "*hours: tue-sun 11:00-21:00",
            "*menu: 국밥 9000, 수육 35000",
            "*price_range: 1만원대",
        ],
        photos=["photos/front.jpg"],
        notes=[],
    ),
    "modoo_notice": Expected(
        facts=[
            "hours: mon-fri 11:00-21:00; sat-sun 11:30-20:00; mon [1, 3] closed",
        ],
        photos=[],
        notes=[],
    ),
    "more_tags_than_a_page_has": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=["too_large"],
    ),
    "nested_too_deep": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=["too_deep"],
    ),
    "nothing": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "nul_bytes": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=[],
    ),
    "og_business_contact": Expected(
        facts=[
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152",
            "*geo: 37.5006, 127.0364",
            "*hours: mon-tue 11:00-21:00",
            "*website: https://ongi.example/",
        ],
        photos=["photos/og.jpg"],
        notes=[],
    ),
    "old_korean_html": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            'hours: "오전10시 ~ 오후10시"',
            "menu: 국 밥 9000, 수 육 35000, 소 주 5000",
        ],
        photos=[],
        notes=[],
    ),
    "only_stranger": Expected(
        facts=[
            "name: 다른집",
            "category: Restaurant",
            "phone: +8223333333",
        ],
        photos=[],
        notes=["business_not_recognised"],
    ),
    "pension_rates": Expected(
        facts=[
            "phone: +82336441234",
            "phone: +821012345678",
            "road_address: 강원특별자치도 강릉시 창해로 17",
        ],
        photos=[],
        notes=[],
    ),
    "phone_link_only": Expected(
        facts=[
            "phone: +82260123456",
            "phone: +821012345678",
        ],
        photos=[],
        notes=[],
    ),
    "phones_of_all_kinds": Expected(
        facts=[
            "phone: +8250712345678",
            "phone: +8215881234",
            "business_number: 1234567891",
        ],
        photos=[],
        notes=[],
    ),
    "photos_of_all_kinds": Expected(
        facts=[],
        photos=[
            "og.jpg",
            "img/hall.jpg",
            "img/lazy.jpg",
            "img/s-1600.jpg",
            "img/p.jpg",
            "img/bg.jpg",
            "img/big.jpg",
        ],
        notes=[],
    ),
    "prices_that_are_no_menu": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "publisher_and_place": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152",
        ],
        photos=[],
        notes=[],
    ),
    "rdfa_hotel": Expected(
        facts=[
            "name: 온기식당",
            "category: Hotel",
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152",
            "*price_range: 80,000원~150,000원",
            "*amenities: parking",
        ],
        photos=["photos/room.jpg"],
        notes=[],
    ),
    "rdfa_prefixes": Expected(
        facts=[
            "name: 온기식당",
            "category: CafeOrCoffeeShop",
            "*phone: +82260123456",
            "*hours: mon-fri 08:00-20:00",
        ],
        photos=[],
        notes=[],
    ),
    "review_and_news": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "season_hours": Expected(
        facts=[
            "name: 온기식당",
            "category: Restaurant",
            "*hours: mon 11:00-02:00; tue-wed 11:00-21:00; sun closed",
        ],
        photos=[],
        notes=[],
    ),
    "several_hours_blocks": Expected(
        facts=[],
        photos=[],
        notes=[],
    ),
    "unclosed_tags": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-fri 11:00-21:00; sat-sun closed",
            "menu: 국밥 9000, 냉면 10000, 만두 6000, 빈대떡 12000",
        ],
        photos=[],
        notes=[],
    ),
    "utf16": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=[],
    ),
    "utf8_cut_within_a_letter": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=["charset_uncertain"],
    ),
    "utf8_said_to_be_euc_kr": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=[],
    ),
    "utf8_with_a_byte_order_mark": Expected(
        facts=[
            "phone: +82260123456",
            "road_address: 서울특별시 강남구 테헤란로 152",
            "hours: mon-sun 11:00-21:00",
            "menu: 똠얌국수 9000, 쀍쀍국밥 8000, 햎쌀밥 1000",
        ],
        photos=[],
        notes=[],
    ),
    "way_description": Expected(
        facts=[
            "road_address: 서울특별시 강남구 테헤란로 152, 지하 1층 (역삼동, 강남파이낸스센터)",
            "lot_address: 서울특별시 강남구 역삼동 737",
        ],
        photos=[],
        notes=[],
    ),
    "wix_restaurant": Expected(
        facts=[
            "name: 온기식당",
            "category: LocalBusiness",
            "*phone: +82260123456",
            "*road_address: 서울특별시 강남구 테헤란로 152",
            "*hours: mon-fri 11:00-22:00",
            "*website: https://ongi.example/",
        ],
        photos=[
            "https://static.example/media/ab12~mv2.jpg",
            "https://static.example/media/ab12~mv2.jpg/v1/fill/w_980,h_735,al_c,q_85/front.jpg",
            "https://static.example/media/cd34~mv2.png/v1/fill/w_640,h_480/dish.png",
        ],
        notes=[],
    ),
    "wordpress_gutenberg": Expected(
        facts=[
            "phone: +82260123456",
            "hours: mon-sun 11:00-21:00",
        ],
        photos=["wp-content/uploads/2024/01/front-1024x768.jpg"],
        notes=[],
    ),
}
