// Copyright the Espalier project authors. SPDX-License-Identifier: Apache-2.0

extension FoodFigures {
  /// Dishes and foods that every kitchen makes otherwise: what they typically have, by their usual
  /// ingredients. Name; kcal; protein; carbohydrates; fat.
  static let dishes = """
    ham, raw, cured (prosciutto);195;27.8;0.3;8.3
    cheese, mascarpone;429;4.8;4.8;44
    cheese, halloumi;321;21.9;2.2;25
    creme fraiche;393;2;2.4;40
    quark, low fat;67;12;4;0.2
    gnocchi;133;2.5;27;0.7
    polenta, cooked;70;1.6;15;0.4
    brioche;363;8.8;46;16
    focaccia;249;8.8;35.8;7.9
    halva;469;12.5;60.5;21.5
    guacamole;157;2;8.6;14.2
    tzatziki;94;4.5;4.6;6.5
    cocoa with milk;77;3.5;10.7;2.3
    coffee, latte;43;2.6;4.1;1.7
    cappuccino;31;2;2.9;1.2
    oat milk;48;0.8;5.1;2.8
    smoothie, fruit;57;0.6;13.5;0.3
    beef stew;99;7.4;7;4.6
    beef stroganoff;157;9.8;9.5;9
    burrito, beef and beans;206;8.2;25.8;7.7
    burrito, beans;206;6.5;32.9;6.2
    caesar salad;127;6;6.5;9
    cheeseburger;263;13.3;27.8;11.8
    hamburger;254;12.9;28.8;9.8
    chicken curry;126;11;4.7;7
    chili con carne;105;7.7;11;3.5
    clam chowder;82;3;8.5;3.9
    cream of mushroom soup;39;0.7;3.3;2.6
    dumplings, filled with meat;190;8;24;6.6
    egg salad;222;9.3;1.8;19.7
    fish and chips;230;9.5;22.3;11.5
    fried rice;163;4.7;31.1;2.3
    hot dog in a bun;247;10.6;18.4;14.8
    kebab in bread;215;11;19;10.5
    lasagne;135;7.9;12.1;6.1
    lentil soup;56;3.7;8.1;1.1
    macaroni and cheese;164;6.6;19.8;6.5
    minestrone;34;1.8;4.7;1
    miso soup;31;2.1;3.4;1
    moussaka;144;6.5;6.8;10.3
    nachos with cheese;306;8;31.9;16.8
    pad thai;151;6.2;19.9;5.2
    paella;147;9;15.4;5.3
    pizza, cheese;266;11.4;33.3;9.7
    pizza, pepperoni;282;11.5;31.6;12.1
    pizza, vegetables;241;9.9;30;8.9
    potato salad;143;2.7;11.2;8.2
    quiche;309;8.9;17.9;22.5
    ramen soup with noodles;79;3.2;10.6;2.6
    ratatouille;48;1;4.7;2.9
    ravioli with cheese;175;7.4;25.2;4.8
    risotto;138;3.4;20.5;4.4
    samosa;262;5;31;13
    sandwich, ham and cheese;241;14.2;22.8;10.6
    sandwich, tuna salad;220;9.9;24;9.5
    shepherd's pie;112;6.1;10.5;5.1
    spaghetti bolognese;132;7.2;15.4;4.4
    spaghetti carbonara;221;9.4;24.5;9.3
    spring roll, fried;213;6.2;23.1;10.7
    sushi, salmon;152;6.7;23.6;3.2
    sushi, vegetables;118;2.5;25;0.6
    taco, beef;226;8.9;19.8;12.6
    tabbouleh;123;2.6;12.6;7.5
    tortilla, Spanish;146;6;9.4;9.4
    tuna salad;187;16;9.4;9.3
    vegetable soup;34;1.2;5.8;0.7
    vegetable curry;95;2.6;9.8;5.4
    pho with beef;45;3.4;5.3;1.1
    green salad;17;1.3;3.3;0.2
    """
}
