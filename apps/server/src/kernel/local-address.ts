/** Whether a URL names this very machine, whose word is as good as ours; false for what is no URL. */
export function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
