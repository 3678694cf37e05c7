/** Below it stand the control endpoints; the service itself has nothing there. */
export const CONTROL_PATH = '/__mock'
