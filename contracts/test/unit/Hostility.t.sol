// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {MerchantSplit} from "../../src/MerchantSplit.sol";
import {SplitBooks} from "../../src/SplitBooks.sol";
import {SplitPayments} from "../../src/SplitPayments.sol";
import {
    BombRecipient,
    BurningRecipient,
    FussyRecipient,
    GenerousRecipient,
    ReentrantRecipient,
    RevertingRecipient,
    SlowRecipient,
    SoftBombRecipient
} from "../mocks/Recipients.sol";
import {AnsweringToken, FalseToken, FeeToken, FussyToken, HostileToken, PuppetToken} from "../mocks/Tokens.sol";
import {Bench} from "../mocks/Bench.sol";
import {vm} from "../mocks/Vm.sol";

contract HostilityTest is Bench {
    address private b = person("b");
    address private c = person("c");

    function test_aPayeeThatFailsInAnyWayIsPassedOver() external {
        address[3] memory bad =
            [address(new RevertingRecipient()), address(new BurningRecipient()), address(new BombRecipient())];
        for (uint256 i; i < bad.length; ++i) {
            MerchantSplit split = splitOf(bad[i], b, c);
            give(address(split), 1_000);
            uint256 gasBefore = gasleft();
            split.distribute(ETH);
            vm.assertLe(gasBefore - gasleft(), 250_000, "it costs the caller little");
            vm.assertEq(b.balance, 300 * (i + 1), "b is paid");
            vm.assertEq(split.releasable(bad[i]), 500, "its own part is held");
            vm.expectRevert();
            split.release(payable(bad[i]));
            give(address(split), 1_000);
            split.release(payable(c));
            vm.assertEq(c.balance, 400 * (i + 1), "release works for the others");
            vm.deal(b, 300 * (i + 1));
        }
    }

    function test_aBombThatGoesThroughIsPaidAndNotCopied() external {
        address bomb = address(new SoftBombRecipient());
        MerchantSplit split = splitOf(bomb, b, c);
        give(address(split), 1_000);
        split.distribute(ETH);
        vm.assertEq(bomb.balance, 500, "paid");
    }

    function test_aPayeeThatNeedsMoreGasThanAPushGetsItByRelease() external {
        address slow = address(new SlowRecipient());
        MerchantSplit split = splitOf(slow, b, c);
        give(address(split), 1_000);
        split.distribute(ETH);
        vm.assertEq(slow.balance, 0, "too slow for a push");
        split.release(payable(slow));
        vm.assertEq(slow.balance, 500, "released");
    }

    function test_aPayeeThatComesBackInFindsTheDoorShut() external {
        ReentrantRecipient reentrant = new ReentrantRecipient();
        MerchantSplit split = splitOf(address(reentrant), b, c);
        give(address(split), 1_000);
        split.distribute(ETH);
        vm.assertEq(reentrant.tries(), 2, "it tried");
        vm.assertEq(reentrant.entered(), 0, "in vain");
        vm.assertEq(address(reentrant).balance, 500, "and has its part");
        give(address(split), 1_000);
        split.release(payable(address(reentrant)));
        vm.assertEq(reentrant.entered(), 0, "in vain again");
        vm.assertEq(split.totalReleased(), 1_500, "no more than due");
    }

    function test_moneyGivenBackDuringADistributionIsSharedByTheNext() external {
        address generous = address(new GenerousRecipient());
        MerchantSplit split = splitOf(generous, b, c);
        give(address(split), 1_000);
        split.distribute(ETH);
        vm.assertEq(address(split).balance, 250, "half of its half");
        vm.assertEq(split.releasable(b), 75, "due to all by shares");
        split.distribute(ETH);
        vm.assertEq(b.balance, 375, "shared");
    }

    /// @dev A recipient that reverts early because of too little gas leaves enough gas to continue without
    /// it.
    function test_aMeanCallerCannotMakeAnHonestPushFail() external {
        address fussy = address(new FussyRecipient());
        FussyToken fussyToken = new FussyToken();
        MerchantSplit split = splitOf(b, c, fussy);
        give(address(split), 1_000);
        usdc.mint(address(split), 1_001);
        fussyToken.mint(address(split), 1_001);
        address[3] memory tokens = [ETH, address(usdc), address(fussyToken)];
        for (uint256 i; i < tokens.length; ++i) {
            uint256 succeeded;
            for (uint256 gas_ = 30_000; gas_ < 400_000; gas_ += 1_000) {
                uint256 snapshot = vm.snapshotState();
                (bool done,) =
                    address(split).call{gas: gas_}(abi.encodeCall(split.distribute, (tokens[i])));
                if (done) {
                    ++succeeded;
                    vm.assertEq(i == 0 ? b.balance : IERC20(tokens[i]).balanceOf(b), 500, "first paid");
                    vm.assertEq(i == 0 ? fussy.balance : IERC20(tokens[i]).balanceOf(fussy), 200, "last paid");
                }
                vm.revertToState(snapshot);
            }
            vm.assertTrue(succeeded > 0, "some gas is enough");
        }
    }

    function test_aMeanCallerIsToldSo() external {
        MerchantSplit split = splitOf(address(new RevertingRecipient()), b, c);
        give(address(split), 1_000);
        vm.expectRevert(MerchantSplit.TooLittleGas.selector);
        split.distribute{gas: 90_000}(ETH);
    }

    function test_aBlockedPayeeIsPassedOverAndReleasedLater() external {
        MerchantSplit split = splitOf(person("a"), b, c);
        usdt.mint(address(split), 1_000);
        usdt.setBlocked(b, true);
        vm.expectEmit(address(split));
        emit MerchantSplit.PushFailed(address(usdt), b, 300);
        split.distribute(address(usdt));
        vm.assertEq(usdt.balanceOf(c), 200, "the others are paid");
        vm.expectRevert();
        split.release(IERC20(address(usdt)), b);
        usdt.setBlocked(b, false);
        split.release(IERC20(address(usdt)), b);
        vm.assertEq(usdt.balanceOf(b), 300, "released");
    }

    function test_aTokenThatSaysFalseHoldsEverybodysPart() external {
        FalseToken token = new FalseToken();
        MerchantSplit split = splitOf(person("a"), b, c);
        token.mint(address(split), 1_000);
        split.distribute(address(token));
        vm.assertEq(split.totalReleased(IERC20(address(token))), 0, "nothing released");
        vm.assertEq(split.releasable(IERC20(address(token)), b), 300, "all held");
        vm.expectRevert("SafeERC20: ERC20 operation did not succeed");
        split.release(IERC20(address(token)), b);
    }

    /// @dev 257 units leave the scratch memory's last byte at 1, which 31 returned zero bytes do not
    /// overwrite.
    function test_onlyTrueOrNothingIsAnAnswer() external {
        AnsweringToken token = new AnsweringToken();
        IERC20 t = IERC20(address(token));
        bytes[7] memory refusals = [
            bytes(hex"00"),
            hex"01",
            new bytes(31),
            abi.encodePacked(new bytes(30), hex"01"),
            abi.encode(0),
            abi.encode(2),
            abi.encode(type(uint256).max)
        ];
        for (uint256 i; i < refusals.length; ++i) {
            MerchantSplit split = splitOf(person(string(abi.encode(i))), b, c);
            token.mint(address(split), 257);
            token.setAnswer(refusals[i]);
            vm.expectEmit(address(split));
            emit MerchantSplit.PushFailed(address(token), b, 77);
            split.distribute(address(token));
            vm.assertEq(split.totalReleased(t), 0, "no part counts as paid");
            token.mint(address(this), 257);
            vm.expectRevert(SplitPayments.TransferRefused.selector);
            split.payToken(address(token), 257, REF);
        }
        bytes[3] memory agreements = [bytes(""), abi.encode(1), abi.encode(1, 2)];
        for (uint256 i; i < agreements.length; ++i) {
            MerchantSplit split = splitOf(person(string(abi.encode(100 + i))), b, c);
            token.setAnswer(agreements[i]);
            token.mint(address(this), 257);
            split.payToken(address(token), 257, REF);
            split.distribute(address(token));
            vm.assertEq(split.totalReleased(t), 256, "paid");
        }
    }

    function test_aFeeTokenIsSharedByWhatTheSplitHolds() external {
        FeeToken token = new FeeToken();
        MerchantSplit split = splitOf(person("a"), b, c);
        token.mint(address(split), 1_001);
        split.distribute(address(token));
        vm.assertEq(token.balanceOf(b), 297, "less the fee");
        vm.assertEq(split.totalReleased(IERC20(address(token))), 1_000, "all left the split");
    }

    function test_aHostileTokenBreaksItsOwnBooksOnly() external {
        HostileToken token = new HostileToken();
        for (uint256 mode = 1; mode < 7; ++mode) {
            MerchantSplit split =
                MerchantSplit(createSalted(bytes32(mode), person("a"), person(string(abi.encode(mode)))));
            token.setMode(HostileToken.Mode.Honest);
            token.mint(address(split), 10_000);
            token.setMode(HostileToken.Mode(mode));
            uint256 had = usdt.balanceOf(person("a"));
            (bool done,) = address(split).call{gas: 2_000_000}(abi.encodeCall(split.distribute, (address(token))));
            done;
            usdt.mint(address(split), 10_000);
            give(address(split), 10_000);
            split.distribute(address(usdt));
            split.distribute(ETH);
            vm.assertEq(usdt.balanceOf(person("a")) - had, 5_001, "USDT is shared as ever");
            vm.assertEq(split.totalReleased(), 10_000, "ETH is shared as ever");
            token.setMode(HostileToken.Mode.Honest);
            split.distribute(address(token));
            vm.assertEq(split.totalReleased(IERC20(address(token))), 9_999, "and its own once it behaves");
        }
    }

    function test_aTokenThatComesBackInCannotBePaidTwice() external {
        HostileToken token = new HostileToken();
        MerchantSplit split = splitOf(person("a"), b, c);
        token.mint(address(split), 1_000);
        token.setReentry(address(split), abi.encodeCall(split.distribute, (address(token))));
        split.distribute(address(token));
        vm.assertEq(token.reentered(), 0, "the door is shut");
        give(address(split), 100);
        token.mint(address(split), 1_000);
        token.setReentry(address(split), abi.encodeWithSignature("release(address)", b));
        split.release(IERC20(address(token)), b);
        vm.assertEq(token.reentered(), 0, "for ETH too");
        vm.assertEq(token.balanceOf(b), 600, "what was due");
    }

    function test_aTokenThatLiesCannotOverflowTheBook() external {
        PuppetToken token = new PuppetToken();
        IERC20 t = IERC20(address(token));
        MerchantSplit split = splitOf(person("a"), b, c);
        uint256 most = type(uint120).max;
        token.say(2 * most + 2);
        vm.expectRevert(abi.encodeWithSelector(SplitBooks.TooMuchReceived.selector, most + 1));
        split.release(t, person("a"));
        token.say(2 * most);
        split.release(t, person("a"));
        vm.assertEq(split.totalReleased(t), most, "as much as a book can hold");
        token.say(0);
        vm.expectRevert(abi.encodeWithSelector(SplitBooks.TooMuchReceived.selector, most));
        split.distribute(address(token));
        vm.assertEq(split.released(t, person("a")), most, "nothing spilt");
    }

    /// @dev After a token takes money back, payees that are not overpaid still receive the remaining balance.
    function test_aTokenThatTakesMoneyBackIsToldByTheSameRules() external {
        MerchantSplit split = splitOf(person("a"), b, c);
        usdc.mint(address(split), 1_000);
        split.release(IERC20(address(usdc)), person("a"));
        vm.prank(address(split));
        usdc.transfer(person("sink"), 250);
        // Total received: 750. a has 500 although 375 are due, b is due 225 and c 150, but only 250 are left.
        split.distribute(address(usdc));
        vm.assertEq(usdc.balanceOf(b), 225, "b first");
        vm.assertEq(split.releasable(IERC20(address(usdc)), c), 150, "c has to wait");
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        split.releasable(IERC20(address(usdc)), person("a"));
        usdc.mint(address(split), 251);
        split.distribute(address(usdc));
        vm.assertEq(usdc.balanceOf(person("a")), 500, "a is even again");
        vm.assertEq(usdc.balanceOf(b), 300, "b");
        vm.assertEq(usdc.balanceOf(c), 200, "c");
        vm.assertEq(split.totalReleased(IERC20(address(usdc))), 1_000, "all");
    }

    function createSalted(bytes32 salt, address first, address second) private returns (address) {
        (address[] memory recipients, uint32[] memory bps) = two(first, second);
        return factory.createSplit(recipients, bps, salt);
    }
}
