"""Hosts on which nobody's page is a business's own website."""

# With all hosts below them.
OTHERS: frozenset[str] = frozenset(
    [
        # portals, maps and directories
        "naver.com", "naver.me", "daum.net", "kakao.com", "nate.com", "zum.com", "google.com",
        "google.co.kr", "goo.gl", "bing.com", "yahoo.com", "apple.com",
        "openstreetmap.org", "waze.com", "tmap.co.kr", "foursquare.com", "mapcarta.com", "wikimapia.org",
        "114.co.kr", "bizno.net", "moneypin.biz",
        # listings and guides
        "diningcode.com", "mangoplate.com", "siksinhot.com", "catchtable.co.kr", "polle.com", "redtable.kr",
        "blueribbon.kr", "tabling.co.kr",
        "tripadvisor.com", "tripadvisor.co.kr", "yelp.com", "michelin.com", "trip.com", "wanderlog.com",
        "triple.guide", "visitkorea.or.kr",
        "visitseoul.net", "creatrip.com", "restaurantguru.com", "happycow.net", "top-rated.online",
        "yably.com",
        # orders and shops
        "baemin.com", "yogiyo.co.kr", "coupangeats.com", "coupang.com", "ddangyo.com", "11st.co.kr",
        "gmarket.co.kr", "auction.co.kr",
        # lodging and travel
        "booking.com", "agoda.com", "expedia.com", "expedia.co.kr", "hotels.com", "airbnb.com",
        "airbnb.co.kr", "yanolja.com", "yeogi.com", "goodchoice.kr",
        "hotelscombined.com", "hotelscombined.co.kr", "interpark.com", "myrealtrip.com", "klook.com",
        "kkday.com",
        # clinics
        "gangnamunni.com", "goodoc.co.kr", "ddocdoc.com", "modoodoc.com", "hidoc.co.kr",
        # blogs, hosted pages, boards
        "tistory.com", "blogspot.com", "wordpress.com", "medium.com", "brunch.co.kr", "velog.io",
        "egloos.com", "postype.com", "notion.site",
        "sites.google.com", "dcinside.com", "fmkorea.com", "theqoo.net", "ppomppu.co.kr", "clien.net",
        "instiz.net", "reddit.com", "quora.com",
        # second hand and homes
        "daangn.com", "karrotmarket.com", "bunjang.co.kr", "zigbang.com", "dabangapp.com",
        # jobs
        "saramin.co.kr", "jobkorea.co.kr", "albamon.com", "alba.co.kr", "incruit.com", "jobplanet.co.kr",
        "wanted.co.kr", "catch.co.kr",
        # encyclopedias
        "wikipedia.org", "namu.wiki", "wikidata.org", "fandom.com",
        # the press
        "chosun.com", "joongang.co.kr", "donga.com", "hani.co.kr", "khan.co.kr", "hankookilbo.com",
        "mk.co.kr", "hankyung.com", "sedaily.com",
        "yna.co.kr", "newsis.com", "news1.kr", "kbs.co.kr", "imbc.com", "sbs.co.kr", "ytn.co.kr",
        "jtbc.co.kr", "ohmynews.com",
        # videos, pictures, code
        "youtube.com", "youtu.be", "vimeo.com", "spotify.com", "flickr.com", "pinterest.com",
        "slideshare.net", "scribd.com", "github.com",
        # shortened addresses
        "bit.ly", "t.co", "url.kr", "han.gl",
    ]
)  # fmt: skip
