import Reporting
import Testing
