import type { Random } from '../../kernel/random.ts'
import { Secrets } from '../../platform/secrets.ts'

/** The secrets of a deployment: sealed with its master key, and opened with the one before it as well. */
export function secretsOf(
  config: { readonly masterKey: string; readonly oldMasterKey: string | undefined },
  random: Random,
): Secrets {
  return new Secrets(config.masterKey, random, config.oldMasterKey ? [config.oldMasterKey] : [])
}
