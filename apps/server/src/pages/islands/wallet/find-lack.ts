import { amountText, type Ending, type Payment, read, readHex, unwanted, word } from './payment.ts'

/** Gas kept for each call when judging whether the fee can be paid; more than any of ours takes. */
const gasPerCall = 80_000n
const balanceOf = '0x70a08231'

/** What the account is short of: the token, or the coin the network's fee is paid in. */
export async function findLack(payment: Payment, payer: string): Promise<Ending | undefined> {
  const { offer } = payment
  const { token } = offer
  const { coin } = offer.chain
  const need = BigInt(offer.amount)
  let coins: bigint
  let have: bigint
  let fee: bigint
  try {
    coins = readHex(await read(payment, 'eth_getBalance', payer, 'latest'))
    const call = { to: token.address, data: balanceOf + word(payer) }
    have = token.address ? readHex(await read(payment, 'eth_call', call, 'latest')) : coins
    fee = readHex(await read(payment, 'eth_gasPrice')) * gasPerCall * BigInt(offer.calls.length)
  } catch (error) {
    if (error === unwanted) throw error
    // A wallet that cannot read the chain judges the balance itself when it is asked to send.
    return undefined
  }
  if (have < need) {
    const [haveText, needText, missing] = [have, need, need - have].map((units) => amountText(token, units))
    return {
      step: 'insufficient',
      slots: { have: haveText ?? '', need: needText ?? '', missing: missing ?? '', symbol: token.symbol },
    }
  }
  const needed = token.address ? fee : need + fee
  if (coins >= needed) return undefined
  return {
    step: 'no-gas',
    slots: { have: amountText(coin, coins), need: amountText(coin, needed), coin: coin.symbol },
  }
}
