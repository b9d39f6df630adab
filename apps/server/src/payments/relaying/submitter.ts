import type { Relayer } from './relayer.ts'

/** Who submits what payers sign, and on what terms. */
export type Submitter = Pick<Relayer, 'readState' | 'tokens' | 'terms'> & {
  readonly sender: Pick<Relayer['sender'], 'address'>
}
