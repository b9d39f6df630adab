/**
 * What every answer says to browsers: take it for what it says it is, tell nobody where you came from and, where
 * the service is reached over TLS, never come without.
 */
export function commonHeaders({ isSecure }: { isSecure: boolean }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
  }
}
