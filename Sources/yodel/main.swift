import Simulation
import Calling
import Codecs
import Realtime
var plan = LoopbackPlan()
let args = CommandLine.arguments
plan.seconds = Double(args.count > 1 ? args[1] : "10")!
plan.codec = CodecKind(rawValue: args.count > 2 ? args[2] : "pcmu")!
plan.voiceProcessing = args.count > 3 ? args[3] == "vp" : false
plan.room.echoDecibels = -90
if args.count > 4, args[4] != "-" { plan.network = try! NetworkConditions(parsing: args[4]) }
if args.count > 5 { plan.dumpFolder = args[5] }
let t0 = HostTime.monotonicNow()
let call = try OfflineCall(plan)
let t1 = HostTime.monotonicNow()
try call.run()
let t2 = HostTime.monotonicNow()
for s in call.sides { print(s.statistics.json.text); print(s.convergedSeconds as Any, s.events.prefix(6)) }
print("ab", DelayMeter.milliseconds(spoken: call.sides[0].spoken, heard: call.sides[1].heard, sampleRate: call.sides[0].call.sampleRate) as Any)
print("ba", DelayMeter.milliseconds(spoken: call.sides[1].spoken, heard: call.sides[0].heard, sampleRate: call.sides[0].call.sampleRate) as Any)
let t3 = HostTime.monotonicNow()
print("setup", t1.milliseconds(since: t0), "run", t2.milliseconds(since: t1), "meter", t3.milliseconds(since: t2))
