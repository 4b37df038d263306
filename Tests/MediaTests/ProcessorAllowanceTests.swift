import LiveMedia
import Testing

@Suite("What a process may use of the processors") struct ProcessorAllowanceTests {
    private func cores(_ groups: String, _ files: [String: String], of cores: Int = 4) -> Double? {
        ProcessorAllowance(groups: groups, cores: cores) { files[$0] }?.cores
    }

    @Test("is what its control group says, or one above it")
    func versionTwo() {
        let groups = "0::/system.slice/yodel.service\n"
        #expect(cores(groups, ["/sys/fs/cgroup/system.slice/yodel.service/cpu.max": "150000 100000\n"]) == 1.5)
        let both = [
            "/sys/fs/cgroup/system.slice/yodel.service/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/system.slice/cpu.max": "50000 100000\n",
        ]
        #expect(cores(groups, both) == 0.5)
    }

    @Test("in version 1 that of the controller of processors; inside a container the group is at the root")
    func versionOne() {
        let groups = "4:memory:/x\n3:cpu,cpuacct:/docker/1\n0::/docker/1\n"
        let folder = "/sys/fs/cgroup/cpu,cpuacct"
        #expect(cores(groups, [folder + "/cpu.cfs_quota_us": "30000", folder + "/cpu.cfs_period_us": "100000"]) == 0.3)
        #expect(
            cores(groups, [folder + "/docker/1/cpu.cfs_quota_us": "-1", folder + "/docker/1/cpu.cfs_period_us": "100000"])
                == nil)
        #expect(
            cores(
                "2:cpu:/y\n",
                ["/sys/fs/cgroup/cpu/y/cpu.cfs_quota_us": "5000", "/sys/fs/cgroup/cpu/y/cpu.cfs_period_us": "5000"]) == 1)
    }

    @Test("is all there are where nothing is said, more is allowed, or what is said makes no sense")
    func unlimited() {
        #expect(cores("", [:]) == nil && cores("nonsense\n::\n", [:]) == nil && cores("0::/\n", [:]) == nil)
        #expect(cores("0::/\n", ["/sys/fs/cgroup/cpu.max": "800000 100000"]) == nil)
        for text in ["", "max", "0 100000", "100000 0", "-1 5", "x y z", "nan nan"] {
            #expect(cores("0::/\n", ["/sys/fs/cgroup/cpu.max": text]) == nil, "\(text)")
        }
    }
}
