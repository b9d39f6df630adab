import {
  type Abi,
  type AbiFunction,
  type DecodeFunctionDataReturnType,
  decodeAbiParameters,
  toFunctionSelector,
} from 'viem'
import type { Hex } from '../../src/chain/chain.ts'
import { assert } from '../../src/kernel/assert.ts'

const known = new WeakMap<Abi, ReadonlyMap<string, AbiFunction>>()

/** Like viem's `decodeFunctionData`, which hashes the signature of every function for every call. */
export function decodeCall<const Each extends Abi>(abi: Each, data: Hex): DecodeFunctionDataReturnType<Each> {
  const called = functionsOf(abi).get(data.slice(0, 10))
  assert(called, `the model has no function ${data.slice(0, 10)}`)
  const args =
    called.inputs.length > 0 ? decodeAbiParameters(called.inputs, `0x${data.slice(10)}`) : undefined
  return { functionName: called.name, args } as DecodeFunctionDataReturnType<Each>
}

/** Whether a function of the ABI is called. */
export function isCallOf(abi: Abi, data: Hex): boolean {
  return functionsOf(abi).has(data.slice(0, 10))
}

function functionsOf(abi: Abi): ReadonlyMap<string, AbiFunction> {
  const functions = known.get(abi) ?? listFunctions(abi)
  known.set(abi, functions)
  return functions
}

function listFunctions(abi: Abi): ReadonlyMap<string, AbiFunction> {
  const functions = abi.filter((item): item is AbiFunction => item.type === 'function')
  return new Map(functions.map((item) => [toFunctionSelector(item), item]))
}
