print("yodel")
