// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitFactory} from "../../src/SplitFactory.sol";
import {FalseToken, HostileToken, HungryToken} from "../mocks/Tokens.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

/// @dev Tests the gas that a sweep provides for foreign code and the minimum that must be available. The
/// keeper depends on both.
contract SweepGasTest is Bench {
    MerchantSplit private split;
    address private deposit;

    function setUp() external {
        split = splitOf(person("a"), person("b"));
        deposit = factory.depositAddress(address(split), REF);
        give(deposit, 1);
        factory.sweep(address(split), REF, ETH);
    }

    function test_aTokenBurnsAHundredThousandGasAtMostWhenItSaysABalance() external {
        HostileToken token = new HostileToken();
        token.setMode(HostileToken.Mode.BurnOnBalance);
        uint256 burnt = gasOf(address(token));
        vm.assertLe(100_000, burnt, "all that a balance gets");
        vm.assertLe(burnt, 116_000, "and no more");
    }

    function test_aTokenBurnsThreeHundredThousandGasAtMostWhenItMoves() external {
        HostileToken token = new HostileToken();
        token.mint(deposit, 1);
        token.setMode(HostileToken.Mode.BurnOnTransfer);
        uint256 burnt = gasOf(address(token));
        vm.assertLe(295_000, burnt, "all but a 64th of what a move gets");
        vm.assertLe(burnt, 325_000, "and no more");
    }

    function test_anItemThatHasWhatItMustHaveIsSweptHoweverHungry() external {
        HungryToken token = new HungryToken();
        token.mint(factory.depositAddress(address(split), "hungry"), 100);
        (bool done,) = sweepWith(490_000, "hungry", address(token));
        vm.assertTrue(done, "no want of gas");
        vm.assertEq(token.balanceOf(address(split)), 100, "swept");
    }

    /// @dev The keeper sends the minimum gas with which a sweep skips a bad token.
    function test_aBadTokenIsPassedOverFromTheGasOnThatAnItemMustHave() external {
        FalseToken token = new FalseToken();
        token.mint(deposit, 1);
        (bool done,) = sweepWith(488_000, REF, address(token));
        vm.assertTrue(done, "enough: the token is to blame");
        bytes memory answer;
        (done, answer) = sweepWith(478_000, REF, address(token));
        vm.assertTrue(!done && bytes4(answer) == SplitFactory.TooLittleGas.selector, "too little: nobody is");
    }

    function gasOf(address token) private returns (uint256) {
        uint256 before = gasleft();
        (bool done,) = sweepWith(2_000_000, REF, token);
        vm.assertTrue(done, "passed over");
        return before - gasleft();
    }

    function sweepWith(uint256 gas_, bytes32 ref, address token) private returns (bool done, bytes memory answer) {
        SplitFactory.Sweep[] memory sweeps = new SplitFactory.Sweep[](1);
        sweeps[0] = SplitFactory.Sweep(address(split), ref, token);
        (done, answer) = address(factory).call{gas: gas_}(abi.encodeCall(factory.sweepMany, (sweeps)));
    }
}
