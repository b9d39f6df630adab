// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {SplitFactory} from "../../src/SplitFactory.sol";
import {FalseToken, HostileToken} from "../mocks/Tokens.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

/// @dev Buyers pay into deposits of three splits, one of which is not deployed yet. Anyone can sweep any
/// deposit.
contract FactoryHandler is Bench {
    uint256 private constant REFS = 4;

    address[3] public splits;
    HostileToken private hostile = new HostileToken();
    FalseToken private falseToken = new FalseToken();
    mapping(address split => mapping(address token => uint256)) public paid;

    constructor() {
        splits[0] = address(splitOf(person("a"), person("b")));
        splits[1] = address(splitOf(person("b"), person("c")));
        (address[] memory recipients, uint32[] memory bps) = two(person("c"), person("d"));
        splits[2] = factory.predictSplit(recipients, bps, 0);
    }

    function fill(uint8 split, uint8 ref, uint8 token, uint96 amount) external {
        (address s, address t) = (splits[split % 3], tokenAt(token));
        address deposit = factory.depositAddress(s, bytes32(uint256(ref % REFS)));
        if (t == ETH) give(deposit, amount);
        else if (t == address(usdc)) usdc.mint(deposit, amount);
        else usdt.mint(deposit, amount);
        paid[s][t] += amount;
    }

    function fillHostile(uint8 split, uint8 ref, uint8 mode) external {
        hostile.setMode(HostileToken.Mode.Honest);
        address deposit = factory.depositAddress(splits[split % 3], bytes32(uint256(ref % REFS)));
        hostile.mint(deposit, 1);
        falseToken.mint(deposit, 1);
        hostile.setMode(HostileToken.Mode(within(mode, 0, 6)));
    }

    function sweep(uint8 split, uint8 ref, uint8 token) external {
        address deposit = factory.depositAddress(splits[split % 3], bytes32(uint256(ref % REFS)));
        if (usdt.isBlocked(deposit)) return;
        factory.sweep(splits[split % 3], bytes32(uint256(ref % REFS)), tokenAt(token));
    }

    function sweepMany(uint8[12] calldata picks) external {
        SplitFactory.Sweep[] memory sweeps = new SplitFactory.Sweep[](picks.length);
        for (uint256 i; i < picks.length; ++i) {
            uint256 pick = picks[i];
            address token = pick % 8 == 6 ? address(hostile) : pick % 8 == 7 ? address(falseToken) : tokenAt(pick);
            sweeps[i] = SplitFactory.Sweep(splits[pick / 8 % 3], bytes32(pick / 24 % REFS), token);
        }
        factory.sweepMany{gas: 8_000_000}(sweeps);
    }

    function blockDeposit(uint8 split, uint8 ref, bool blocked) external {
        usdt.setBlocked(factory.depositAddress(splits[split % 3], bytes32(uint256(ref % REFS))), blocked);
    }

    function sweepAll() external {
        for (uint256 s; s < 3; ++s) {
            for (uint256 ref; ref < REFS; ++ref) {
                usdt.setBlocked(factory.depositAddress(splits[s], bytes32(ref)), false);
                for (uint256 t; t < 3; ++t) {
                    factory.sweep(splits[s], bytes32(ref), tokenAt(t));
                }
            }
        }
    }

    function inDeposits(address split, address token) external view returns (uint256 sum) {
        for (uint256 ref; ref < REFS; ++ref) {
            sum += balance(token, factory.depositAddress(split, bytes32(ref)));
        }
    }

    function balance(address token, address owner) public view returns (uint256) {
        if (token == ETH) return owner.balance;
        return token == address(usdc) ? usdc.balanceOf(owner) : usdt.balanceOf(owner);
    }

    function tokenAt(uint256 index) public view returns (address) {
        return index % 3 == 0 ? ETH : index % 3 == 1 ? address(usdc) : address(usdt);
    }

    function factoryAndImplementations() external view returns (address[3] memory) {
        return [address(factory), factory.splitImplementation(), factory.depositImplementation()];
    }
}

contract SplitFactoryInvariant {
    FactoryHandler private handler = new FactoryHandler();

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handler), new bytes4[](5));
        targets[0].selectors[0] = FactoryHandler.fill.selector;
        targets[0].selectors[1] = FactoryHandler.fillHostile.selector;
        targets[0].selectors[2] = FactoryHandler.sweep.selector;
        targets[0].selectors[3] = FactoryHandler.sweepMany.selector;
        targets[0].selectors[4] = FactoryHandler.blockDeposit.selector;
    }

    function invariant_whatWasPaidForASplitIsInItsDepositsOrInIt() external view {
        for (uint256 s; s < 3; ++s) {
            address split = handler.splits(s);
            for (uint256 t; t < 3; ++t) {
                address token = handler.tokenAt(t);
                uint256 there = handler.inDeposits(split, token) + handler.balance(token, split);
                vm.assertEq(there, handler.paid(split, token), "paid");
            }
        }
    }

    function invariant_allOfItCanBeSwept() external {
        uint256 snapshot = vm.snapshotState();
        handler.sweepAll();
        for (uint256 s; s < 3; ++s) {
            for (uint256 t; t < 3; ++t) {
                address token = handler.tokenAt(t);
                vm.assertEq(handler.inDeposits(handler.splits(s), token), 0, "nothing left behind");
            }
        }
        vm.revertToState(snapshot);
    }

    function invariant_nothingStaysOnTheWay() external view {
        address[3] memory way = handler.factoryAndImplementations();
        for (uint256 i; i < way.length; ++i) {
            for (uint256 t; t < 3; ++t) {
                vm.assertEq(handler.balance(handler.tokenAt(t), way[i]), 0, "on the way");
            }
        }
    }
}
