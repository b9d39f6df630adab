import type { Wallet } from '@sluice/protocol/wallet.ts'
import { checkSignature } from '../../access/sessions/check-signature.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { Database } from '../../platform/database/database.ts'
import { takeClaimChallenge } from './challenge-store.ts'
import { type ClaimChallenge, hashClaim } from './claim-data.ts'

/** A signature that is to show that a wallet sent a payment. */
export type Proof = { readonly wallet: Wallet; readonly nonce: string; readonly signature: Hex }

/** What is said of a payment beside the proof. */
export type Claimed = { readonly transactionHash: Hex; readonly logIndex: number; readonly host: string }

/**
 * The challenge that a wallet has signed for this payment.
 *
 * It is used up before anything of it is judged, so that nobody gets two tries at one. Smart accounts are judged as at a
 * login: by the chain, and only where two endpoints agree.
 *
 * @throws {Refusal} `forbidden` unless the challenge is open, for this wallet, payment, host and chain, and signed by it.
 * @throws {ChainUnavailable} where a smart account cannot be asked.
 */
export async function checkProof(
  needs: { db: Database; clock: Clock; chain: Pick<Chain, 'id' | 'callCode' | 'isCorroborated'> },
  proof: Proof,
  claimed: Claimed,
): Promise<ClaimChallenge> {
  const challenge = await takeClaimChallenge(needs.db, proof.nonce)
  const fault = challenge ? faultOf(challenge, needs, proof, claimed) : 'unknown or already used'
  if (!challenge || fault) throw refused(`the challenge is ${fault}; ask for a new one`)
  const verdict = await checkSignature(needs, proof.wallet, hashClaim(challenge), proof.signature)
  if (verdict === 'not-asked')
    throw refused(
      'this service has too few RPC endpoints to verify a contract wallet; claim it with a contact',
    )
  if (verdict === 'not-signed') throw refused('the challenge was not signed by this wallet')
  return challenge
}

function faultOf(
  challenge: ClaimChallenge,
  needs: { clock: Clock; chain: Pick<Chain, 'id'> },
  { wallet }: Proof,
  { transactionHash, logIndex, host }: Claimed,
): string | undefined {
  const now = needs.clock.now()
  if (challenge.wallet !== wallet) return "another wallet's"
  if (challenge.txHash !== transactionHash || challenge.logIndex !== logIndex) return "another payment's"
  if (challenge.host !== host) return "another site's"
  if (challenge.chainId !== needs.chain.id) return "another chain's"
  if (now >= challenge.expiresAt) return 'expired'
  return now < challenge.issuedAt ? 'not open yet' : undefined
}

function refused(why: string): Refusal {
  return new Refusal('forbidden', `The claim cannot be proven: ${why}`)
}
