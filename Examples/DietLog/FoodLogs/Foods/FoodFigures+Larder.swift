// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension FoodFigures {
  /// Grains, bread, sweets, fats, sauces and drinks: name; kcal; protein; carbohydrates; fat.
  static let larder = """
    barley, pearled, cooked;123;2.3;28.2;0.4
    bran flakes;328;9.9;80.5;2.1
    buckwheat, cooked;92;3.4;19.9;0.6
    bulgur, cooked;83;3.1;18.6;0.2
    cornflakes;384;5.9;88;0.9
    couscous, cooked;112;3.8;23.2;0.2
    granola;489;13.7;53.9;24.3
    grits, cooked;71;1.7;14.8;0.5
    millet, cooked;119;3.5;23.7;1
    muesli;388;9.5;73.8;6.3
    oats, rolled, dry;379;13.2;67.7;6.5
    oatmeal, cooked;71;2.5;12;1.5
    pasta, cooked;158;5.8;30.9;0.9
    pasta, dry;371;13;74.7;1.5
    pasta, wholemeal, cooked;149;6;30.1;1.7
    noodles, egg, cooked;138;4.5;25.2;2.1
    noodles, rice, cooked;108;1.8;24;0.2
    noodles, soba, cooked;99;5.1;21.4;0.1
    noodles, instant, dry;440;10.2;60.3;17.6
    quinoa, cooked;120;4.4;21.3;1.9
    rice, white, cooked;130;2.7;28.2;0.3
    rice, white, dry;365;7.1;80;0.7
    rice, brown, cooked;123;2.7;25.6;1
    rice, wild, cooked;101;4;21.3;0.3
    rice, puffed;402;6.3;89.8;0.5
    semolina, dry;360;12.7;72.8;1.1
    wheat flour, white;364;10.3;76.3;1
    wheat flour, wholemeal;340;13.2;72;2.5
    wheat germ;360;23.2;51.8;9.7
    cornstarch;381;0.3;91.3;0.1
    bagel;264;10.6;52.4;1.3
    baguette;272;10.8;51.9;2.4
    bread, white;266;8.9;49.4;3.3
    bread, wholemeal;252;12.5;42.7;3.5
    bread, rye;259;8.5;48.3;3.3
    bread, sourdough;272;10.8;51.9;2.4
    bread, multigrain;265;13.4;43.3;4.2
    bread, pumpernickel;250;8.7;47.5;3.1
    bread, pita;275;9.1;55.7;1.2
    bread, naan;291;9.6;50.4;5.7
    bread, garlic;350;8.4;41.7;16.6
    bread crumbs;395;13.4;72;5.3
    toast, white;290;9;54.5;4
    toast, wholemeal;306;16.3;51.2;4.1
    burger bun;279;9.8;50.1;3.9
    cracker, saltine;418;9.5;74;8.6
    crispbread, rye;366;7.9;82.2;1.3
    croissant;406;8.2;45.8;21
    croutons;407;11.9;73.5;6.6
    English muffin;235;7.7;46;1.8
    matzo;395;10;83.7;1.4
    rice cake;387;8.2;81.5;2.8
    tortilla, corn;218;5.7;44.6;2.9
    tortilla, wheat;306;8.2;49.4;8
    pretzel, soft;338;8.2;69.4;3.1
    pretzel, hard;384;10;80.4;2.9
    popcorn, air-popped;387;12.9;77.8;4.5
    popcorn, with oil;500;9;58.1;28.1
    potato crisps;532;6.4;53.8;34
    tortilla chips;472;7.1;67.8;20.7
    French fries;312;3.4;41.4;14.7
    hash browns;265;3;35.1;12.5
    apple pie;237;1.9;34;11
    biscuit, butter;467;6.1;68.9;18.8
    biscuit, chocolate chip;492;5.1;65.4;24.7
    biscuit, oatmeal;450;6.2;68.7;18.1
    brownie;405;4.8;63.9;16.3
    cheesecake;321;5.5;25.5;22.5
    chocolate cake;371;5.3;53.4;15.1
    cinnamon roll;372;6.2;50.9;16.4
    cupcake with icing;399;3.6;60.3;15.9
    doughnut, glazed;421;6.1;47.9;22.7
    doughnut, plain;434;5.3;47.1;24.9
    eclair;334;4.4;37.4;18.5
    fruit cake;324;2.9;61.6;9.1
    gingerbread;356;3.9;49.2;16.4
    muffin, blueberry;375;4.5;53;16.1
    pancake;227;6.4;28.3;9.7
    pound cake;353;5;53.6;14
    shortbread;514;5.4;63.8;26.2
    sponge cake;290;5.4;61;2.7
    waffle;291;7.9;32.9;14.1
    chocolate, milk;535;7.7;59.4;29.7
    chocolate, dark, 70 %;598;7.8;45.9;42.6
    chocolate, white;539;5.9;59.2;32.1
    chocolate hazelnut spread;539;5.4;62.4;29.7
    cocoa powder;228;19.6;57.9;13.7
    cereal bar;409;9.1;72.7;9.1
    energy bar;346;14.7;65.4;5.9
    candy, caramel;382;4.6;77;8.1
    candy, hard;394;0;98;0.2
    marshmallow;318;1.8;81.3;0.2
    honey;304;0.3;82.4;0
    jam;278;0.4;68.9;0.1
    marmalade;246;0.3;66.3;0
    maple syrup;260;0;67;0.1
    molasses;290;0;74.7;0.1
    sugar, white;387;0;100;0
    sugar, brown;380;0.1;98.1;0
    custard;112;4.1;17.6;2.8
    gelatin dessert;60;1.2;14.2;0
    chocolate pudding;142;2.1;23;4.6
    rice pudding;121;3.3;20.7;2.8
    creme caramel;145;4.5;22.8;4
    whipped cream, sweetened;257;3.2;12.5;22.2
    oil, olive;884;0;0;100
    oil, sunflower;884;0;0;100
    oil, rapeseed;884;0;0;100
    oil, coconut;892;0;0;99.1
    oil, sesame;884;0;0;100
    lard;902;0;0;100
    margarine;717;0.2;0.7;80.7
    mayonnaise;680;1;0.6;74.9
    mayonnaise, light;238;0.4;9.2;22.2
    salad dressing, Italian;240;0.4;12.1;21.1
    salad dressing, ranch;430;1.3;5.9;44.5
    salad dressing, Caesar;542;2.2;3.3;57.9
    vinaigrette;449;0;2.5;50.1
    ketchup;101;1;27.4;0.1
    mustard;60;3.7;5.8;3.3
    soy sauce;53;8.1;4.9;0.6
    barbecue sauce;172;0.8;40.8;0.6
    hot sauce;11;0.5;1.8;0.4
    pesto;418;9.8;10.1;37.6
    salsa;29;1.5;6.6;0.2
    tomato sauce for pasta;50;1.4;7.4;1.6
    cheese sauce;174;6.7;6.8;13.3
    gravy;53;3.7;4.8;2.4
    vinegar;18;0;0;0
    vinegar, balsamic;88;0.5;17;0
    pickle, gherkin;12;0.5;2.4;0.3
    apple juice;46;0.1;11.3;0.1
    beer;43;0.5;3.6;0
    beer, light;29;0.2;1.6;0
    beer, without alcohol;37;0.2;8;0.1
    carrot juice;40;1;9.3;0.2
    cider, alcoholic;56;0;5.9;0
    coffee, black;1;0.1;0;0
    cola;41;0;10.6;0
    cola, without sugar;2;0.1;0.3;0
    coconut milk, canned;197;2;2.8;21.3
    coconut water;19;0.7;3.7;0.2
    cranberry juice cocktail;54;0;13.5;0.1
    energy drink;43;0.5;10.2;0
    espresso;9;0.1;1.7;0.2
    ginger ale;34;0;8.8;0
    grape juice;60;0.4;14.8;0.1
    grapefruit juice;39;0.5;9.2;0.1
    iced tea, sweetened;36;0;9.1;0
    lemonade;43;0.1;10.8;0.2
    almond milk, unsweetened;15;0.4;1.3;1
    rice milk;47;0.3;9.2;1
    soy milk, unsweetened;33;2.9;1.7;1.6
    orange juice;45;0.7;10.4;0.2
    pineapple juice;53;0.4;12.9;0.1
    prune juice;71;0.6;17.5;0
    milkshake, vanilla;112;3.9;17.8;3
    sports drink;26;0;6.4;0
    tea;1;0;0.3;0
    tomato juice;17;0.9;3.5;0.3
    tonic water;34;0;8.8;0
    vodka;231;0;0;0
    whisky;250;0;0.1;0
    rum;231;0;0;0
    gin;263;0;0;0
    water;0;0;0;0
    wine, red;85;0.1;2.6;0
    wine, white;82;0.1;2.6;0
    wine, dessert;160;0.2;13.7;0
    beans, baked, canned;94;4.8;21.1;0.4
    chicken noodle soup;24;1.2;3;0.8
    coleslaw;153;1;14.9;9.9
    falafel;333;13.3;31.8;17.8
    tomato soup;32;0.7;7.5;0.2
    veggie burger;177;15.7;14.3;6.3
    """
}
