/// The only place where render code calls what the render contract cannot check: the application's functions.
///
/// They come as C function pointers, whose far side the compiler does not see; a run-time audit counts there instead.
enum CallSite {
    @_noLocks
    static func call(
        _ function: RenderCallback.Function, _ context: UnsafeMutableRawPointer,
        _ slice: UnsafeMutablePointer<RenderSlice>
    ) {
        unsafe _unsafePerformance { function(context, UnsafeMutableRawPointer(slice)) }
    }

    @_noLocks
    static func call(
        _ readiness: RenderCallback.Readiness, _ context: UnsafeMutableRawPointer, _ frames: Int
    ) -> Bool {
        unsafe _unsafePerformance { readiness(context, frames) }
    }

    @_noLocks
    static func call(
        _ function: InputHandler.Function, _ context: UnsafeMutableRawPointer, _ notice: UnsafePointer<InputNotice>
    ) {
        unsafe _unsafePerformance { function(context, UnsafeRawPointer(notice)) }
    }

    @_noLocks
    static func call(
        _ kernel: RenderKernel.Function, _ context: UnsafeMutableRawPointer, _ slice: UnsafeMutablePointer<RenderSlice>,
        _ inputs: UnsafePointer<UnitInputs>
    ) {
        unsafe _unsafePerformance { kernel(context, UnsafeMutableRawPointer(slice), UnsafeRawPointer(inputs)) }
    }

    @_noLocks
    static func call(
        _ tap: ProcessingTap.Function, _ context: UnsafeMutableRawPointer, _ slice: UnsafeMutablePointer<TapSlice>
    ) {
        unsafe _unsafePerformance { tap(context, UnsafeMutableRawPointer(slice)) }
    }

    @_noLocks
    static func call(_ observer: RenderObserver.Entry, isAfter: Bool, _ slice: UnsafePointer<RenderSlice>) {
        unsafe _unsafePerformance { observer.function(observer.context, isAfter, UnsafeRawPointer(slice)) }
    }
}
