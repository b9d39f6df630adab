/** Returns whether a URL names this machine. Returns `false` if the text is not a URL. */
export function isOnThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
