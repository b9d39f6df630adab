import { Refusal } from '../kernel/refusal.ts'

/** A credential that somebody may have guessed or forged: counted against the address it came from. */
export class BadCredential extends Refusal {
  constructor(message: string) {
    super('unauthorized', message)
  }
}
