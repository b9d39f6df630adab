// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SplitFactory} from "../../src/SplitFactory.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract DepositFuzz is Bench {
    /// @dev Compares the assembly that reads a batch item with `sweep`, whose arguments Solidity decodes.
    function testFuzz_aBatchSweepsWhatSingleSweepsDo(bytes32[6] calldata refs, uint96[6] calldata amounts) external {
        address split = address(splitOf(person("a"), person("b")));
        SplitFactory.Sweep[] memory sweeps = new SplitFactory.Sweep[](refs.length);
        for (uint256 i; i < refs.length; ++i) {
            address token = i % 3 == 0 ? ETH : i % 3 == 1 ? address(usdc) : address(usdt);
            sweeps[i] = SplitFactory.Sweep(split, refs[i], token);
            address deposit = factory.depositAddress(split, refs[i]);
            if (token == ETH) give(deposit, amounts[i]);
            else usdc.mint(deposit, amounts[i]);
            usdt.mint(deposit, amounts[i]);
        }
        uint256 snapshot = vm.snapshotState();
        factory.sweepMany(sweeps);
        bytes32 byBatch = holdings(split);
        vm.revertToState(snapshot);
        for (uint256 i; i < sweeps.length; ++i) {
            factory.sweep(sweeps[i].split, sweeps[i].ref, sweeps[i].token);
        }
        vm.assertEq(byBatch, holdings(split), "the same arrives");
    }

    function testFuzz_depositsBindSplitAndReference(address split, address otherSplit, bytes32 ref, bytes32 otherRef)
        external
        view
    {
        bool isSame = split == otherSplit && ref == otherRef;
        address deposit = factory.depositAddress(split, ref);
        vm.assertTrue((deposit == factory.depositAddress(otherSplit, otherRef)) == isSame, "one address each");
    }

    function holdings(address split) private view returns (bytes32) {
        return keccak256(abi.encode(split.balance, usdc.balanceOf(split), usdt.balanceOf(split)));
    }
}
