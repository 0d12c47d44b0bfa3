"""What a business is: the map's tags as schema.org types. What is not here names no type, rather than a wrong one."""

from collections.abc import Mapping

_TYPES: dict[str, dict[str, str]] = {
    "amenity": {
        "restaurant": "Restaurant",
        "fast_food": "FastFoodRestaurant",
        "food_court": "FoodEstablishment",
        "cafe": "CafeOrCoffeeShop",
        "ice_cream": "IceCreamShop",
        "bar": "BarOrPub",
        "pub": "BarOrPub",
        "biergarten": "BarOrPub",
        "nightclub": "NightClub",
        "karaoke_box": "EntertainmentBusiness",
        "cinema": "MovieTheater",
        "casino": "Casino",
        "internet_cafe": "InternetCafe",
        "pharmacy": "Pharmacy",
        "dentist": "Dentist",
        "clinic": "MedicalClinic",
        "doctors": "MedicalClinic",
        "hospital": "Hospital",
        "kindergarten": "ChildCare",
        "childcare": "ChildCare",
        "library": "Library",
        "bank": "BankOrCreditUnion",
        "post_office": "PostOffice",
        "fuel": "GasStation",
        "car_wash": "AutoWash",
        "car_rental": "AutoRental",
        "public_bath": "DaySpa",
    },
    "shop": {
        "bakery": "Bakery",
        "pastry": "Bakery",
        "convenience": "ConvenienceStore",
        "supermarket": "GroceryStore",
        "greengrocer": "GroceryStore",
        "butcher": "GroceryStore",
        "seafood": "GroceryStore",
        "department_store": "DepartmentStore",
        "mall": "ShoppingCenter",
        "clothes": "ClothingStore",
        "shoes": "ShoeStore",
        "jewelry": "JewelryStore",
        "florist": "Florist",
        "furniture": "FurnitureStore",
        "houseware": "HomeGoodsStore",
        "hardware": "HardwareStore",
        "doityourself": "HardwareStore",
        "electronics": "ElectronicsStore",
        "computer": "ComputerStore",
        "mobile_phone": "MobilePhoneStore",
        "stationery": "OfficeEquipmentStore",
        "books": "BookStore",
        "music": "MusicStore",
        "musical_instrument": "MusicStore",
        "sports": "SportingGoodsStore",
        "bicycle": "BikeStore",
        "toys": "ToyStore",
        "pet": "PetStore",
        "garden_centre": "GardenStore",
        "alcohol": "LiquorStore",
        "wine": "LiquorStore",
        "optician": "Optician",
        "hairdresser": "HairSalon",
        "beauty": "BeautySalon",
        "massage": "DaySpa",
        "tattoo": "TattooParlor",
        "laundry": "DryCleaningOrLaundry",
        "dry_cleaning": "DryCleaningOrLaundry",
        "car": "AutoDealer",
        "car_repair": "AutoRepair",
        "car_parts": "AutoPartsStore",
        "tyres": "TireShop",
        "motorcycle": "MotorcycleDealer",
        "motorcycle_repair": "MotorcycleRepair",
        "travel_agency": "TravelAgency",
        "pawnbroker": "PawnShop",
        "gift": "Store",
        "cosmetics": "Store",
        "variety_store": "Store",
        "yes": "Store",
    },
    "tourism": {
        "hotel": "Hotel",
        "motel": "Motel",
        "hostel": "Hostel",
        "guest_house": "LodgingBusiness",
        "apartment": "VacationRental",
        "chalet": "VacationRental",
        "camp_site": "Campground",
        "caravan_site": "Campground",
        "gallery": "ArtGallery",
        "theme_park": "AmusementPark",
    },
    "leisure": {
        "fitness_centre": "ExerciseGym",
        "bowling_alley": "BowlingAlley",
        "golf_course": "GolfCourse",
        "swimming_pool": "PublicSwimmingPool",
        "sports_centre": "SportsActivityLocation",
        "stadium": "StadiumOrArena",
        "water_park": "AmusementPark",
        "resort": "Resort",
        "escape_game": "EntertainmentBusiness",
        "amusement_arcade": "EntertainmentBusiness",
    },
    "craft": {
        "brewery": "Brewery",
        "distillery": "Distillery",
        "winery": "Winery",
        "locksmith": "Locksmith",
        "plumber": "Plumber",
        "electrician": "Electrician",
        "painter": "HousePainter",
        "roofer": "RoofingContractor",
        "hvac": "HVACBusiness",
        "photographer": "ProfessionalService",
    },
    "office": {
        "estate_agent": "RealEstateAgent",
        "lawyer": "Attorney",
        "notary": "Notary",
        "accountant": "AccountingService",
        "tax_advisor": "AccountingService",
        "insurance": "InsuranceAgency",
        "travel_agent": "TravelAgency",
        "employment_agency": "EmploymentAgency",
    },
    "healthcare": {
        "clinic": "MedicalClinic",
        "doctor": "MedicalClinic",
        "alternative": "MedicalClinic",  # a clinic of Korean medicine
        "dentist": "Dentist",
        "hospital": "Hospital",
        "physiotherapist": "Physiotherapy",
        "optometrist": "Optician",
    },
}
# A kitchen that says more than the kind of house it is in.
_CUISINES = {
    "coffee_shop": "CafeOrCoffeeShop",
    "coffee": "CafeOrCoffeeShop",
    "ice_cream": "IceCreamShop",
    "bubble_tea": "CafeOrCoffeeShop",
}
_EATING = frozenset(["Restaurant", "FastFoodRestaurant", "CafeOrCoffeeShop"])
_NAILS = "nails"  # of shop=beauty


def category_of(tags: Mapping[str, str]) -> str | None:
    """The schema.org type of the first kind that is known, None without one. Of several values the first decides."""
    found = next(
        (
            types[value]
            for key, types in _TYPES.items()
            if (value := tags.get(key, "").partition(";")[0].strip()) in types
        ),
        None,
    )
    if found in _EATING:
        return _CUISINES.get(tags.get("cuisine", "").partition(";")[0].strip(), found)
    if found == "BeautySalon" and tags.get("beauty") == _NAILS:
        return "NailSalon"
    return found
