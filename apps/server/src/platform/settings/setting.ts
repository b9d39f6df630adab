/**
 * How the text of a setting becomes its value. What is wrong with the text is told to `fault`, which a person reads;
 * the text itself never is, as it may be a secret.
 *
 * `undefined` where there is no value; the default stands in then.
 */
export type ReadText<Value> = (text: string, fault: (why: string) => void) => Value | undefined

/** What a default may follow from: settings that stand above. */
export type Above = {
  readonly isProduction: boolean
  readonly host: string
  readonly port: number
  readonly rpcUrls: readonly string[]
}

/** One setting: all that is known of it. */
export type Setting = {
  /** Its property in `Config`. */
  readonly as: string
  /** What it does, as `.env.example` tells it. A default that is a text is added to it. */
  readonly help: string
  readonly read: ReadText<unknown>
  /** Read as if it had been given. Without one the value may be `undefined`. */
  readonly default?: string | ((above: Above) => string)
  /** It is a secret, or holds some: it may be given as `<NAME>_FILE`, the path of a file with its value. */
  readonly isSecret?: true
}

/** `a, b or c`. */
export function alternatives(texts: readonly string[]): string {
  return [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter(Boolean).join(' or ')
}
