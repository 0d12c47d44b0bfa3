"""English words that claim nothing by themselves. No past tense, no "all", "every", "only", no word of praise.

A word is added only when no sentence made of such words, names and numbers of the facts could be untrue for it.
"""

WORDS: frozenset[str] = frozenset(
    """
    a an the this that these those it its is are be and or of to from until till by at in on for with via among
    them too make next as if when where what which how do does you your we our us they their there here also
    then between about please yes may can i my within each both following below above
    address addresses location locations city area lot postal place business shop
    establishment venue outlet phone telephone number numbers call calls calling contact enquiry enquiries
    inquiry inquiries question questions information info details detail overview introduction about faq
    hour hours opening closing time times day days week weekday weekdays weekend weekends month holiday holidays
    public schedule break breaks last order orders admission closed close closes open opens business daily every
    operating operates operate
    menu menus item items price prices priced cost costs costing range ranges won krw list listed lists visit
    visits visiting       directions direction way get getting find
    found located situated sits stands lies offers offer offered serves serve served sells sell provides provide
    provided has have having includes include included including available possible take takes taken taking
    reach ask asked asking see know check go come goes enjoy try order ordered ordering use using
    name names named called type category line facilities facility amenities amenity services service
    """.split()  # noqa: SIM905 - words read better as words
)

# Short phrases whose words alone are not harmless.
PHRASES: tuple[str, ...] = (
    "any questions",
    "how much",
    "how many",
    "more information",
    "more details",
    "good to know",
    "lot number",
    "road address",
    "street address",
    "price on request",
    "on request",
    "under the name",
    "name in english",
    "english name",
    "korean name",
    "can be made",
)

# What a place of a type may be called beside its label, and what it plainly deals in.
OF_CATEGORY: dict[str, str] = {
    "Restaurant": "restaurant eatery food meal meals dish dishes dining eat",
    "FoodEstablishment": "restaurant eatery food meal meals dish dishes eat",
    "FastFoodRestaurant": "restaurant food meal meals",
    "CafeOrCoffeeShop": "café cafe coffee shop drink drinks",
    "Bakery": "bakery bread baked goods",
    "BarOrPub": "bar pub drink drinks",
    "HairSalon": "hair salon hairdresser",
    "BeautySalon": "beauty salon",
    "NailSalon": "nail salon",
    "DryCleaningOrLaundry": "laundry cleaner's",
    "ConvenienceStore": "convenience store",
    "Hotel": "hotel room rooms stay",
    "Motel": "motel room rooms stay",
    "Hostel": "hostel guesthouse stay",
    "BedAndBreakfast": "guesthouse stay",
    "Dentist": "dental dentist clinic",
    "MedicalClinic": "clinic",
    "Pharmacy": "pharmacy",
    "Florist": "florist flowers",
    "BookStore": "bookshop bookstore books",
    "ExerciseGym": "gym",
    "Store": "shop store",
}
