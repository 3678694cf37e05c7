/**
 * Waits for turns of the event loop while told to go on. By no timer: fake ones replace those, and no test means to
 * stop the network.
 * @param goesOn Asked after each turn, with how many there were.
 */
export function nextTurns(goesOn: (turns: number) => boolean = () => false): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  let turns = 0
  return new Promise((resolve) => {
    port1.onmessage = () => {
      turns += 1
      if (goesOn(turns)) return port2.postMessage(undefined)
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
