import { Type } from 'typebox'

/** A token that is taken, as its contract has it. */
const networkToken = Type.Object({
  symbol: Type.String(),
  name: Type.String(),
  decimals: Type.Integer(),
  address: Type.String({ description: "The contract; the zero address for the network's own coin." }),
  isStablecoin: Type.Boolean(),
})

/** The answer of GET /api/network. */
export const networkView = Type.Object({
  id: Type.Integer({ description: 'The chain id.' }),
  name: Type.String(),
  use: Type.Enum(['live', 'test', 'local'] as const, { description: 'Whether its money is real.' }),
  explorerUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'Append `/tx/<hash>` or `/address/<address>`; null where there is no explorer.',
  }),
  tokens: Type.Array(networkToken),
})
