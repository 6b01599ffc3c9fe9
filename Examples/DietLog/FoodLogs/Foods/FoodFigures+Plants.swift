// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension FoodFigures {
  /// Fruit, vegetables, pulses, nuts and seeds: name; kcal; protein; carbohydrates; fat.
  static let plants = """
    apple;52;0.3;13.8;0.2
    apple, dried;243;0.9;65.9;0.3
    apple sauce, unsweetened;42;0.2;11.3;0.1
    apricot;48;1.4;11.1;0.4
    apricot, dried;241;3.4;62.6;0.5
    avocado;160;2;8.5;14.7
    banana;89;1.1;22.8;0.3
    banana chips;519;2.3;58.4;33.6
    blackberry;43;1.4;9.6;0.5
    blueberry;57;0.7;14.5;0.3
    cantaloupe melon;34;0.8;8.2;0.2
    cherry, sour;50;1;12.2;0.3
    cherry, sweet;63;1.1;16;0.2
    clementine;47;0.9;12;0.2
    coconut meat;354;3.3;15.2;33.5
    coconut meat, dried;660;6.9;23.7;64.5
    cranberry;46;0.5;12;0.1
    cranberry, dried, sweetened;308;0.2;82.8;1.1
    currant, red or white;56;1.4;13.8;0.2
    currant, black;63;1.4;15.4;0.4
    date, medjool;277;1.8;75;0.2
    date, deglet noor;282;2.5;75;0.4
    elderberry;73;0.7;18.4;0.5
    fig;74;0.8;19.2;0.3
    fig, dried;249;3.3;63.9;0.9
    gooseberry;44;0.9;10.2;0.6
    grape;69;0.7;18.1;0.2
    grapefruit;42;0.8;10.7;0.1
    guava;68;2.6;14.3;1
    honeydew melon;36;0.5;9.1;0.1
    jackfruit;95;1.7;23.3;0.6
    kiwi;61;1.1;14.7;0.5
    kumquat;71;1.9;15.9;0.9
    lemon;29;1.1;9.3;0.3
    lime;30;0.7;10.5;0.2
    lychee;66;0.8;16.5;0.4
    mandarin;53;0.8;13.3;0.3
    mango;60;0.8;15;0.4
    mulberry;43;1.4;9.8;0.4
    nectarine;44;1.1;10.6;0.3
    olive, green, pickled;145;1;3.8;15.3
    olive, ripe, canned;116;0.8;6;10.9
    orange;47;0.9;11.8;0.1
    papaya;43;0.5;10.8;0.3
    passion fruit;97;2.2;23.4;0.7
    peach;39;0.9;9.5;0.3
    peach, canned in syrup;74;0.5;19.9;0.1
    pear;57;0.4;15.2;0.1
    pear, canned in juice;50;0.3;12.9;0.1
    persimmon;70;0.6;18.6;0.2
    pineapple;50;0.5;13.1;0.1
    pineapple, canned in juice;60;0.4;15.7;0.1
    plantain;122;1.3;31.9;0.4
    plum;46;0.7;11.4;0.3
    pomegranate;83;1.7;18.7;1.2
    prune;240;2.2;63.9;0.4
    quince;57;0.4;15.3;0.1
    raisin;299;3.3;79.3;0.3
    raspberry;52;1.2;11.9;0.7
    rhubarb;21;0.9;4.5;0.2
    star fruit;31;1;6.7;0.3
    strawberry;32;0.7;7.7;0.3
    watermelon;30;0.6;7.6;0.2
    artichoke, cooked;53;2.9;12;0.3
    asparagus;20;2.2;3.9;0.1
    asparagus, cooked;22;2.4;4.1;0.2
    aubergine;25;1;5.9;0.2
    aubergine, cooked;35;0.8;8.7;0.2
    bamboo shoots;27;2.6;5.2;0.3
    bean sprouts;30;3;5.9;0.2
    beetroot;43;1.6;9.6;0.2
    beetroot, cooked;44;1.7;10;0.2
    bell pepper, green;20;0.9;4.6;0.2
    bell pepper, red;26;1;6;0.3
    bell pepper, yellow;27;1;6.3;0.2
    bok choy;13;1.5;2.2;0.2
    broccoli;34;2.8;6.6;0.4
    broccoli, cooked;35;2.4;7.2;0.4
    brussels sprouts;43;3.4;9;0.3
    brussels sprouts, cooked;36;2.6;7.1;0.5
    butternut squash;45;1;11.7;0.1
    butternut squash, baked;40;0.9;10.5;0.1
    cabbage;25;1.3;5.8;0.1
    cabbage, cooked;23;1.3;5.5;0.1
    cabbage, red;31;1.4;7.4;0.2
    carrot;41;0.9;9.6;0.2
    carrot, cooked;35;0.8;8.2;0.2
    cassava;160;1.4;38.1;0.3
    cauliflower;25;1.9;5;0.3
    cauliflower, cooked;23;1.8;4.1;0.5
    celeriac;42;1.5;9.2;0.3
    celery;14;0.7;3;0.2
    chard, cooked;20;1.9;4.1;0.1
    chicory;17;0.9;4;0.1
    chili pepper, red;40;1.9;8.8;0.4
    collard greens, cooked;33;2.7;5.7;0.7
    courgette;17;1.2;3.1;0.3
    courgette, cooked;15;1.1;2.7;0.4
    cress;32;2.6;5.5;0.7
    cucumber;15;0.7;3.6;0.1
    endive;17;1.3;3.4;0.2
    fennel;31;1.2;7.3;0.2
    garlic;149;6.4;33.1;0.5
    ginger root;80;1.8;17.8;0.8
    green beans;31;1.8;7;0.2
    green beans, cooked;35;1.9;7.9;0.3
    horseradish, prepared;48;1.2;11.3;0.7
    jerusalem artichoke;73;2;17.4;0
    kale;35;2.9;4.4;1.5
    kale, cooked;36;2.9;5.3;1.2
    kohlrabi;27;1.7;6.2;0.1
    leek;61;1.5;14.2;0.3
    lettuce, iceberg;14;0.9;3;0.1
    lettuce, romaine;17;1.2;3.3;0.3
    lettuce, leaf;15;1.4;2.9;0.2
    mushroom;22;3.1;3.3;0.3
    mushroom, cooked;28;2.2;5.3;0.5
    mushroom, shiitake;34;2.2;6.8;0.5
    mushroom, oyster;33;3.3;6.1;0.4
    okra;33;1.9;7.5;0.2
    onion;40;1.1;9.3;0.1
    onion, cooked;44;1.4;10.2;0.2
    onion rings, fried;411;3.9;43.6;25.2
    parsley;36;3;6.3;0.8
    parsnip;75;1.2;18;0.3
    parsnip, cooked;71;1.3;17;0.3
    peas, green;81;5.4;14.5;0.4
    peas, green, cooked;84;5.4;15.6;0.2
    potato;77;2.1;17.5;0.1
    potato, baked;93;2.5;21.2;0.1
    potato, boiled;87;1.9;20.1;0.1
    potato, mashed with milk;83;1.9;17.6;0.6
    potato, mashed with milk and butter;113;1.9;16.8;4.2
    pumpkin;26;1;6.5;0.1
    pumpkin, canned;34;1.1;8.1;0.3
    radicchio;23;1.4;4.5;0.3
    radish;16;0.7;3.4;0.1
    rocket salad;25;2.6;3.7;0.7
    rutabaga;37;1.1;8.6;0.2
    sauerkraut;19;0.9;4.3;0.1
    seaweed, wakame;45;3;9.1;0.6
    seaweed, nori;35;5.8;5.1;0.3
    shallot;72;2.5;16.8;0.1
    spinach;23;2.9;3.6;0.4
    spinach, cooked;23;3;3.8;0.3
    spring onion;32;1.8;7.3;0.2
    sweet corn;86;3.3;18.7;1.4
    sweet corn, cooked;96;3.4;21;1.5
    sweet potato;86;1.6;20.1;0.1
    sweet potato, baked;90;2;20.7;0.2
    taro;112;1.5;26.5;0.2
    tomato;18;0.9;3.9;0.2
    tomato, canned;16;0.8;3.5;0.3
    tomato, sun-dried;258;14.1;55.8;3
    tomato paste;82;4.3;18.9;0.5
    turnip;28;0.9;6.4;0.1
    watercress;11;2.3;1.3;0.1
    yam;118;1.5;27.9;0.2
    black beans, cooked;132;8.9;23.7;0.5
    broad beans, cooked;110;7.6;19.7;0.4
    chickpeas, cooked;164;8.9;27.4;2.6
    edamame, cooked;121;11.9;8.9;5.2
    hummus;237;7.8;15;17.8
    kidney beans, cooked;127;8.7;22.8;0.5
    lentils, dry;352;24.6;63.4;1.1
    lentils, cooked;116;9;20.1;0.4
    lima beans, cooked;115;7.8;20.9;0.4
    lupins, cooked;119;15.6;9.9;2.9
    mung beans, cooked;105;7;19.2;0.4
    pinto beans, cooked;143;9;26.2;0.7
    refried beans, canned;90;5;13.6;2
    soybeans, cooked;172;18.2;8.4;9
    split peas, cooked;118;8.3;21.1;0.4
    tempeh;192;20.3;7.6;10.8
    tofu, firm;144;17.3;2.8;8.7
    tofu, soft;61;7.2;1.2;3.7
    white beans, cooked;139;9.7;25.1;0.4
    almond;579;21.2;21.6;49.9
    almond butter;614;21;18.8;55.5
    brazil nut;659;14.3;11.7;67.1
    cashew;553;18.2;30.2;43.9
    chestnut, roasted;245;3.2;53;2.2
    chia seeds;486;16.5;42.1;30.7
    flax seeds;534;18.3;28.9;42.2
    hazelnut;628;15;16.7;60.8
    hemp seeds;553;31.6;8.7;48.8
    macadamia nut;718;7.9;13.8;75.8
    peanut;567;25.8;16.1;49.2
    peanut, roasted;587;24.4;21.3;49.7
    peanut butter;598;22.2;22.3;51.4
    pecan;691;9.2;13.9;72
    pine nut;673;13.7;13.1;68.4
    pistachio;560;20.2;27.2;45.3
    poppy seeds;525;18;28.1;41.6
    pumpkin seeds;559;30.2;10.7;49.1
    sesame seeds;573;17.7;23.5;49.7
    sunflower seeds;584;20.8;20;51.5
    tahini;592;17.4;21.5;53
    trail mix;462;13.8;44.9;29.4
    walnut;654;15.2;13.7;65.2
    """
}
