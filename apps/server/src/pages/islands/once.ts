/** Whether something was done for a receipt in this tab; from now on it was. What may be done twice is done again where nothing can be kept. */
export function wasDone(what: string, receipt: string): boolean {
  try {
    const key = `sluice:${what}:${receipt}`
    const was = sessionStorage.getItem(key) !== null
    sessionStorage.setItem(key, '1')
    return was
  } catch {
    return false
  }
}
