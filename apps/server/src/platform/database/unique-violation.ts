/** Whether a statement failed because a key is taken. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === '23505'
}
