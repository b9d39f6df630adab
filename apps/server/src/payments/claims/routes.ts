import {
  claimChallengeRequest,
  claimChallengeResponse,
  claimRequest,
  claimResponse,
} from '@sluice/protocol/api/claims.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { limitAddress } from '../../access/rate-rules.ts'
import { type Route, route } from '../../access/route.ts'
import { type Gate, ownHost } from '../../access/sessions/gate.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import { assert } from '../../kernel/assert.ts'
import { findBaseUrl, findBrandOfMerchant } from '../../site/find-brand.ts'
import { checkProof, claimTypedDataOf, startClaim } from './challenge.ts'
import { parseTransactionHash } from './find-claimable.ts'
import { type MakeClaimNeeds, makeClaim, parseClaimWords, parseRefundAddress } from './make-claim.ts'

export type ClaimNeeds = MakeClaimNeeds & {
  readonly chain: Chain
  readonly gate: Pick<Gate, 'isOwnOrigin'>
  readonly site: { readonly baseUrl: string }
}

export function claimRoutes(needs: ClaimNeeds): Route[] {
  return [challengeRoute(needs), makeClaimRoute(needs)]
}

function challengeRoute(needs: ClaimNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/payments/claims/challenge',
    access: { kind: 'public' },
    limit: 'claims',
    description:
      'Request a challenge for claiming a payment. Returns typed data for the wallet that sent the payment to sign. The challenge can be used once, within five minutes. It is returned even if no such payment exists.',
    body: claimChallengeRequest,
    responses: { 200: claimChallengeResponse },
    async handle({ body, headers }) {
      const wallet = walletOf(body.wallet)
      const challenge = await startClaim(needs, {
        wallet,
        txHash: hashOf(body.transactionHash),
        logIndex: body.logIndex,
        refundAddress: body.refundAddress === undefined ? wallet : parseRefundAddress(body.refundAddress, []),
        host: ownHost(needs, headers.origin, 'Claims'),
      })
      return {
        status: 200,
        body: { typedData: claimTypedDataOf(challenge), expiresAt: challenge.expiresAt },
      }
    },
  })
}

function makeClaimRoute(needs: ClaimNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/payments/claims',
    access: { kind: 'public' },
    limit: 'claims',
    description:
      "Claim an unmatched payment. For the buyer. A signature of the payer's wallet proves the claim. Without a signature, the claim requires a refund address and contact details, and the merchant reviews it. A claim moves no money.",
    body: claimRequest,
    responses: { 201: claimResponse },
    document: { apiErrors: ['not_found', 'forbidden', 'chain_unavailable'] },
    async prepare({ body, headers }) {
      const { proof, logIndex } = body
      if (!proof) return undefined
      const claimed = {
        transactionHash: hashOf(body.transactionHash),
        logIndex,
        host: ownHost(needs, headers.origin, 'Claims'),
      }
      const { nonce, signature } = proof
      return checkProof(
        needs,
        { wallet: walletOf(proof.wallet), nonce, signature: signature as Hex },
        claimed,
      )
    },
    async handle({ body, prepared, clientAddress, headers: { host } }) {
      const { id, merchant } = await makeClaim(needs, {
        transactionHash: hashOf(body.transactionHash),
        logIndex: body.logIndex,
        proven: prepared,
        refundAddress: body.refundAddress,
        ...parseClaimWords(body),
        host,
        address: limitAddress(clientAddress),
      })
      const { key } = await findBrandOfMerchant(needs.db, merchant)
      const baseUrl = await findBaseUrl(needs.db, key, needs.site.baseUrl)
      return { status: 201, body: { ok: true, caseId: id, caseUrl: `${baseUrl}/claim/${id}` } }
    },
  })
}

function walletOf(text: string): Wallet {
  const wallet = parseWallet(text)
  assert(wallet, 'the schema admits nothing else')
  return wallet
}

function hashOf(text: string): Hex {
  const hash = parseTransactionHash(text)
  assert(hash, 'the schema admits nothing else')
  return hash
}
