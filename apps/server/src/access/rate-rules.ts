/**
 * How many requests a minute each kind may come to (decisions: Access, Rate limits). A burst may use them
 * all at once; they come back evenly.
 */
export const limitPerMinute = {
  reads: 300,
  writes: 100,
  inventoryWrites: 60,
  configWrites: 10,
  logins: 20,
  failedAuthentications: 20,
  telemetry: 30,
  attempts: 10,
} as const

/** The name of a limit. */
export type LimitName = keyof typeof limitPerMinute
