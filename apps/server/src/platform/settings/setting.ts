/**
 * Converts the text of a setting. The default applies if the result is `undefined`.
 *
 * Errors are reported through `error`, for people to read. They never contain the text, which may be a
 * secret.
 */
export type ReadText<Value> = (text: string, error: (why: string) => void) => Value | undefined

export type Above = {
  readonly isProduction: boolean
  readonly host: string
  readonly port: number
  readonly rpcUrls: readonly string[]
}

export type Setting = {
  readonly as: string
  /** Description for `.env.example`. A default that is a text is appended. */
  readonly help: string
  readonly read: ReadText<unknown>
  /** Text to read if the setting is absent. Without a default, the value may be `undefined`. */
  readonly default?: string | ((above: Above) => string)
  /** The setting contains a secret: it may be given as `<NAME>_FILE`, the path of a file with the value. */
  readonly isSecret?: true
}

export function alternatives(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter(Boolean).join(' or ')
}
