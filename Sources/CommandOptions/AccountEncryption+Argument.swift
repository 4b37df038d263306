import ArgumentParser
import Settings

extension AccountEncryption: ExpressibleByArgument {}
