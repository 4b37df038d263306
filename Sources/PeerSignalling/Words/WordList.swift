/// The 256 words of `SpokenWords`, of our own making: things that most people know, no two with the same first three letters, so that
/// they can be told apart on a bad line.
enum WordList {
    /// A word for each byte.
    static let words: [String] = text.split(whereSeparator: \.isWhitespace).map(String.init)

    private static let text = """
        acorn actor album alley almond amber anchor angle ankle apple april arch arrow atlas attic autumn avenue bacon badge
        bagel bakery bamboo banjo barrel basket beacon bench berry bishop blanket blossom bottle branch bread bridge bronze
        bucket butter cabin cactus camel canal carpet castle cedar cellar chapel cherry chimney circus citrus clover coffee
        comet copper coral cotton cradle cricket crystal curtain dancer dawn desert diamond dinner doctor dolphin donkey dragon
        drummer eagle easel echo eclipse elbow elder elephant engine envelope fable falcon farmer feather ferry fiddle finger
        flag flute forest fossil fountain freckle frost funnel galaxy garden gecko ghost ginger giraffe glacier glove goblet
        gravel grotto guitar hammer harbor hazel helmet hermit hill honey hornet hotel hunter iceberg igloo indigo island ivory
        jacket jaguar jasmine jelly jigsaw jungle kayak kettle kitchen koala ladder lantern lawyer leather lemon letter library
        lily lizard lobster locket lumber magnet mango maple marble meadow melon mercury mirror mitten monkey mosaic mountain
        muffin museum napkin nectar needle nurse nutmeg oasis ocean octopus olive onion opera orbit orchid organ otter oven
        oyster paddle palace panther parrot pebble pelican pepper piano pigeon pillow pirate planet pocket pony potato prairie
        prism pumpkin puzzle quail queen quilt rabbit radio raven ribbon river robin rocket rooster rubber saddle salmon sandal
        scarf school scooter shadow shelter silver socket spider spoon squirrel stable sugar summer syrup tailor teacup temple
        thunder ticket tiger timber tomato tractor trumpet tulip tunnel turtle umbrella uncle valley vanilla velvet vessel
        village violin volcano waffle wagon walnut whale willow window wizard yacht yogurt zebra zipper
        """
}
