// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension FoodFigures {
  /// Meat, fish, eggs and dairy: name; kcal; protein; carbohydrates; fat.
  static let animals = """
    bacon, cooked;468;33.9;1.7;35.1
    beef, minced, 20 % fat, cooked;270;25.8;0;17.8
    beef, minced, 10 % fat, cooked;217;26.1;0;11.8
    beef, minced, 5 % fat, cooked;174;26.3;0;6.8
    beef, roast;160;29.9;0;4.5
    beef, brisket, cooked;291;26.8;0;19.5
    beef, chuck, braised;302;30.1;0;19.2
    beef, corned;251;18.2;0.5;19
    beef, ribeye steak, grilled;291;23.7;0;21.8
    beef, sirloin steak, grilled;242;26;0.8;15
    beef, tenderloin steak, grilled;202;30.9;0;7.7
    beef jerky;410;33.2;11;25.6
    beef liver, fried;175;26.5;5.2;4.7
    bologna sausage;308;15.2;5.5;24.6
    bratwurst;333;13.7;2.9;29.2
    chicken, roasted with skin;239;27.3;0;13.6
    chicken breast, roasted;165;31;0;3.6
    chicken breast, with skin, roasted;197;29.8;0;7.8
    chicken drumstick, with skin, roasted;191;23.4;0;10.2
    chicken thigh, roasted;179;24.8;0;8.2
    chicken wing, with skin, roasted;254;23.8;0;16.9
    chicken, minced, cooked;189;23.3;0;10.9
    chicken liver, cooked;167;24.5;0.9;6.5
    chicken nuggets;307;15.9;14.9;20.4
    chicken, fried, with batter;289;22.5;9.4;17.4
    duck, roasted with skin;337;19;0;28.4
    duck, roasted;201;23.5;0;11.2
    frankfurter;315;11.7;3;28.1
    goose, roasted with skin;305;25.2;0;21.9
    ham, cured, roasted;178;22.6;0;9
    ham, sliced;164;16.6;3.6;8.8
    kielbasa;333;12.4;4.8;29.4
    lamb, leg, roasted;258;25.6;0;16.5
    lamb chop, grilled;316;25.2;0;23.1
    lamb, minced, cooked;283;24.8;0;19.7
    liver sausage;326;14.1;2.2;28.5
    meatballs, beef and pork;286;14.4;8.1;22.2
    mortadella;311;16.4;3.1;25.4
    pastrami;147;21.8;0.4;5.8
    pepperoni;504;19.3;1.2;46.3
    pork belly, raw;518;9.3;0;53
    pork chop, grilled;209;25.6;0;11.1
    pork loin, roasted;248;27.1;0;14.7
    pork, minced, cooked;297;25.7;0;20.8
    pork ribs, cooked;397;29.1;0;30.3
    pork shoulder, roasted;292;23.3;0;21.4
    pork tenderloin, roasted;143;26.2;0;3.5
    rabbit, roasted;197;29.1;0;8.1
    salami;336;21.9;2.4;25.9
    sausage, Italian, cooked;324;18.4;1.9;26.4
    sausage, pork, cooked;325;18.5;1.4;27.3
    turkey, roasted with skin;189;28.6;0.1;7.4
    turkey breast, roasted;147;30.1;0;2.1
    turkey, minced, cooked;203;27.4;0;10.4
    turkey, sliced;106;14.8;2.2;3.8
    veal, roasted;160;27.7;0;4.6
    veal schnitzel, breaded;238;27.3;9.9;9.2
    venison, roasted;158;30.2;0;3.2
    anchovy, canned in oil;210;28.9;0;9.7
    carp, cooked;162;22.9;0;7.2
    caviar;264;24.6;4;17.9
    clams, cooked;148;25.6;5.1;2
    cod;82;17.8;0;0.7
    cod, cooked;105;22.8;0;0.9
    crab, cooked;97;19.4;0;1.5
    crab sticks (surimi);95;7.6;15;0.5
    eel, smoked or cooked;236;23.7;0;15
    fish fingers;277;11;21.7;16.2
    flounder, cooked;86;15.2;0;2.4
    haddock, cooked;90;20;0;0.6
    halibut, cooked;111;22.5;0;1.6
    herring, cooked;203;23;0;11.6
    herring, pickled;262;14.2;9.6;18
    lobster, cooked;89;19;0;0.9
    mackerel, cooked;262;23.9;0;17.8
    mussels, cooked;172;23.8;7.4;4.5
    octopus, cooked;164;29.8;4.4;2.1
    oyster, raw;81;9.5;5;2.3
    perch, cooked;117;24.9;0;1.2
    pike, cooked;113;24.7;0;0.9
    pollock, cooked;111;23.5;0;1.2
    salmon, farmed, cooked;206;22.1;0;12.4
    salmon, farmed, raw;208;20.4;0;13.4
    salmon, wild, cooked;182;25.4;0;8.1
    salmon, smoked;117;18.3;0;4.3
    salmon, canned;136;24.6;0;4.2
    sardines, canned in oil;208;24.6;0;11.5
    scallops, cooked;111;20.5;5.4;0.8
    sea bass, cooked;124;23.6;0;2.6
    shrimp;85;20.1;0;0.5
    shrimp, cooked;99;24;0.2;0.3
    shrimp, breaded and fried;242;21.4;11.5;12.3
    squid, fried;175;17.9;7.8;7.5
    swordfish, cooked;172;23.5;0;7.9
    tilapia, cooked;128;26.2;0;2.7
    trout, cooked;190;26.6;0;8.5
    tuna, fresh, cooked;130;29.2;0;0.6
    tuna, canned in oil;198;29.1;0;8.2
    tuna, canned in water;86;19.4;0;1
    egg, raw;143;12.6;0.7;9.5
    egg, boiled;155;12.6;1.1;10.6
    egg, fried;196;13.6;0.8;14.8
    egg, poached;143;12.5;0.7;9.5
    egg, scrambled;149;10;1.6;11
    egg white;52;10.9;0.7;0.2
    egg yolk;322;15.9;3.6;26.5
    omelette;154;10.6;0.6;11.7
    butter;717;0.9;0.1;81.1
    buttermilk;40;3.3;4.8;1.1
    cheese, cheddar;403;22.9;3.4;33.3
    cheese, blue;353;21.4;2.3;28.7
    cheese, brie;334;20.8;0.5;27.7
    cheese, camembert;300;19.8;0.5;24.3
    cheese, cottage;98;11.1;3.4;4.3
    cheese, cottage, low fat;81;10.5;4.8;2.3
    cheese, cream;350;6.2;5.5;34.4
    cheese, edam;357;25;1.4;28.6
    cheese, emmental;393;27;1.4;31
    cheese, feta;265;14.2;3.9;21.5
    cheese, goat, soft;264;18.5;0;21.1
    cheese, gouda;356;24.9;2.2;27.4
    cheese, gruyere;413;29.8;0.4;32.3
    cheese, monterey jack;373;24.5;0.7;30.3
    cheese, mozzarella;299;22.2;2.4;22.1
    cheese, mozzarella, part skim;254;24.3;2.8;15.9
    cheese, parmesan;392;35.8;3.2;25
    cheese, pecorino;387;31.8;3.6;26.9
    cheese, provolone;351;25.6;2.1;26.6
    cheese, ricotta;150;7.5;7.3;10.2
    cheese, roquefort;369;21.5;2;30.6
    cheese, processed slice;366;18.1;4.8;30.7
    condensed milk, sweetened;321;7.9;54.4;8.7
    cream, light;195;3;3.7;19.1
    cream, whipping;340;2.8;2.8;36.1
    cream, sour;198;2.4;4.6;19.4
    evaporated milk;134;6.8;10;7.6
    ghee;900;0;0;100
    ice cream, vanilla;207;3.5;23.6;11
    ice cream, chocolate;216;3.8;28.2;11
    frozen yogurt;159;4;24.2;5.6
    kefir;43;3.8;4.8;1
    milk, whole;61;3.2;4.8;3.3
    milk, 2 % fat;50;3.3;4.8;2
    milk, 1 % fat;42;3.4;5;1
    milk, skimmed;34;3.4;5;0.1
    milk, goat;69;3.6;4.5;4.1
    milk powder, skimmed;362;36.2;52;0.8
    chocolate milk;83;3.2;10.3;3.4
    whey protein powder;352;78.1;6.3;1.6
    yogurt, plain, whole milk;61;3.5;4.7;3.3
    yogurt, plain, low fat;63;5.3;7;1.6
    yogurt, plain, skimmed;56;5.7;7.7;0.2
    yogurt, Greek, whole milk;97;9;4;5
    yogurt, Greek, skimmed;59;10.2;3.6;0.4
    yogurt, fruit, low fat;99;4;18.6;1.2
    """
}
