// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitPayments} from "../../src/SplitPayments.sol";
import {HookToken} from "../mocks/Tokens.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

/// @dev Tests that only one call of a split runs at a time. This contract is the payer and implements the
/// hook.
contract PaymentLockTest is Bench {
    MerchantSplit private split;

    bytes[] private hookCalls;
    address[] private hookTargets;
    uint256 private hooksThatWentThrough;
    bool private isActing;

    function setUp() external {
        split = splitOf(person("a"), person("b"));
    }

    /// @dev A token that calls its sender first lets the payer act while the split measures the received
    /// amount.
    function test_aHookCannotCountOnePaymentTwice() external {
        HookToken token = new HookToken();
        token.mint(address(this), 100);
        token.mint(factory.depositAddress(address(split), "deposit"), 500);
        onHook(address(split), abi.encodeCall(split.payToken, (address(token), 50, "inner")));
        onHook(address(split), abi.encodeCall(split.distribute, (address(token))));
        onHook(address(split), abi.encodeWithSignature("release(address,address)", token, person("a")));
        onHook(address(split), abi.encodeCall(split.payWithPermit, (address(token), 50, "inner", 0, 0, 0, 0)));
        onHook(
            address(split),
            abi.encodeCall(split.payWithAuthorization, (address(token), address(this), 50, 0, 1, "inner", 0, ""))
        );
        onHook(address(factory), abi.encodeCall(factory.sweep, (address(split), "deposit", address(token))));
        vm.expectEmit(address(split));
        emit SplitPayments.Payment(REF, address(token), address(this), 50);
        split.payToken(address(token), 50, REF);
        vm.assertEq(hooksThatWentThrough, 1, "only the sweep, which is no call of the split");
        vm.assertEq(token.balanceOf(address(split)), 550, "both arrived, each told once");
    }

    function test_theLockEndsWithTheCall() external {
        usdc.mint(address(this), 100);
        usdc.approve(address(split), 100);
        for (uint256 i; i < 3; ++i) {
            split.payToken(address(usdc), 10, REF);
            split.distribute(address(usdc));
        }
        vm.assertEq(usdc.balanceOf(person("a")), 15, "three payments, three distributions, one transaction");
    }

    /// @dev Acts only once, because successful calls invoke this hook again.
    function tokensToSend() external {
        if (isActing) return;
        isActing = true;
        for (uint256 i; i < hookCalls.length; ++i) {
            (bool done,) = hookTargets[i].call(hookCalls[i]);
            if (done) ++hooksThatWentThrough;
        }
    }

    function onHook(address target, bytes memory data) private {
        hookTargets.push(target);
        hookCalls.push(data);
    }
}
